import { setTimeout as pause } from "node:timers/promises";
import type { Attack, Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import type { ServerAddress } from "../http/wire.ts";
import { Browser, findProvider, hasCode, start, visit } from "../oidc/browser.ts";
import { findClosedClient, requireClients } from "../oidc/clients.ts";
import { approve } from "../oidc/devices.ts";
import type { OidcClient } from "../oidc/setup.ts";
import {
  type Code,
  type DeviceCode,
  describeAlive,
  getCode,
  getTokens,
  isAlive,
  pollDevice,
  type Scene,
  startDevice,
  type Tokens,
  useCode,
} from "../oidc/tokens.ts";
import { act, administrator, join, type Person, randomId, removePeople } from "../people.ts";
import { newAddress, send, signIn, type Target } from "../target.ts";

const OFFLINE = "openid offline_access";

/** What has ended must be refused at every instance after this time. */
const WITHIN_MS = 1_000;

export const oidcEnds: Attack = {
  name: "oidc-ends",
  about: "codes and tokens of accounts, sessions and memberships that have ended",
  meaning: "A user whom you have removed or signed out still uses your apps.",
  noun: "codes and tokens",
  verb: "still work",
  needs: ["account", "clients", "fresh"],

  async run(target, tally) {
    const { app } = requireClients(target);
    const closed = findClosedClient(target);
    const provider = await findProvider(target);
    const admin = await administrator(target);
    const prefix = `attack-${randomId()}`;
    const people: Person[] = [];

    const hold = async (client: OidcClient, groups = "", scope = "openid"): Promise<Held> => {
      const person = await join(target, admin, prefix, groups);
      people.push(person);
      const scene: Scene = { target, provider, session: person.token };
      // A token with `offline_access` outlives the session, and nothing else.
      const get = (): Promise<Tokens> => getTokens(scene, client, { scope, prompt: "consent" });
      const tokens = await get();
      if (!(await isAlive(scene, tokens.access)))
        throw new Undecided("an access token does not work while the session lasts");
      // Each use of a refresh token uses it up, and each instance is asked once.
      const others = [await get(), await get()];
      const code = [await getCode(scene, client), await getCode(scene, client)];
      const device = await startDevice(scene, client);
      await approve(scene, new Browser(target, provider, person.token), device);
      return { person, scene, client, tokens: [tokens, ...others], code, device };
    };

    const ends: readonly (readonly [string, Held, () => Promise<unknown>])[] = [
      await prepare(hold(app), "the removal of an account", ({ person }) =>
        act(target, admin.token, "remove", { user: person.id }),
      ),
      await prepare(hold(app), "the end of all sessions of an account", ({ person }) =>
        act(target, admin.token, "sign-out", { user: person.id }),
      ),
      await prepare(hold(app), "a sign-out", ({ person }) =>
        send(target, { path: "/logout", form: {}, session: person.token }),
      ),
      await prepare(hold(app), "the end of other sessions in another browser", ({ person }) =>
        endOthers(target, person),
      ),
      await prepare(hold(app, "", OFFLINE), "the removal of an account, offline,", ({ person }) =>
        act(target, admin.token, "remove", { user: person.id }),
      ),
      await prepare(hold(app, "", OFFLINE), "the end of all sessions, offline,", ({ person }) =>
        act(target, admin.token, "sign-out", { user: person.id }),
      ),
      ...(closed?.group === undefined
        ? []
        : [
            await prepare(
              hold(closed, closed.group, OFFLINE),
              "the end of a membership, offline,",
              ({ person }) =>
                act(target, admin.token, "groups", { user: person.id, groups: "others" }),
            ),
            await prepare(hold(closed, closed.group), "the end of a membership", ({ person }) =>
              act(target, admin.token, "groups", { user: person.id, groups: "others" }),
            ),
          ]),
    ];
    for (const [, , end] of ends) await end();
    await pause(WITHIN_MS);
    const addresses: readonly (ServerAddress | undefined)[] = [
      ...(target.oidc?.second === undefined ? [] : [target.oidc.second]),
      undefined,
    ];
    for (const [what, held] of ends) {
      for (const [index, at] of addresses.entries())
        await requireEnded(held, what, index, at, tally);
    }
    await removePeople(target, admin, people);
  },
};

interface Held {
  readonly person: Person;
  readonly scene: Scene;
  readonly client: OidcClient;
  readonly tokens: readonly Tokens[];
  readonly code: readonly Code[];
  /** Its approval waits until the device asks. */
  readonly device: DeviceCode;
}

async function prepare(
  holding: Promise<Held>,
  what: string,
  end: (held: Held) => Promise<unknown>,
): Promise<readonly [string, Held, () => Promise<unknown>]> {
  const held = await holding;
  return [what, held, () => end(held)];
}

async function endOthers(target: Target, { username, password }: Person): Promise<unknown> {
  const from = await newAddress(target);
  const { session } = await signIn(target, { username, password }, { from });
  if (session === undefined) throw new Undecided("a second sign-in failed");
  return send(target, { path: "/account/sessions/end", form: { session: "others" }, session });
}

async function requireEnded(
  { scene, client, tokens, code, device, person }: Held,
  after: string,
  index: number,
  at: ServerAddress | undefined,
  tally: Tally,
): Promise<void> {
  const { target, provider } = scene;
  const where = at === undefined ? "" : " at another instance";
  const held = tokens[index];
  if (held !== undefined) {
    tally.tried();
    for (const what of await describeAlive(scene, client, held, at))
      tally.gotThrough(`${what} still works after ${after}${where}`);
  }
  const unused = code[index];
  tally.tried();
  if (unused !== undefined && (await useCode(scene, unused, at)) !== undefined)
    tally.gotThrough(`a code still gives tokens after ${after}${where}`);
  tally.tried();
  if ((await pollDevice(scene, device, at)) !== undefined)
    tally.gotThrough(`an approved device still gets tokens after ${after}${where}`);
  tally.tried();
  const browser = new Browser(target, provider, person.token);
  if (hasCode(await visit(browser, start(provider, client), at)))
    tally.gotThrough(`a session still gives a code after ${after}${where}`);
}
