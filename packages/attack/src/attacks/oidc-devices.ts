import type { Attack, Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { Browser, withoutUndefined } from "../oidc/browser.ts";
import { findClosedClient, type OidcClients, requireClients } from "../oidc/clients.ts";
import { approve, devicePath, openPage } from "../oidc/devices.ts";
import { openScene } from "../oidc/scene.ts";
import {
  DEVICE_GRANT,
  type DeviceCode,
  describeAlive,
  pollDevice,
  post,
  type Scene,
  startDevice,
  tokensIn,
} from "../oidc/tokens.ts";

const AT_ONCE = 8;

export const oidcDevices: Attack = {
  name: "oidc-devices",
  about: "codes of devices without or with a stolen approval, of another client, and used twice",
  meaning: "A device of an attacker is signed in as another user.",
  noun: "attempts",
  verb: "got through",
  needs: ["account", "clients"],

  async run(target, tally) {
    const clients = requireClients(target);
    const scene = await openScene(target);
    await withoutApproval(scene, clients, tally);
    await afterApproval(scene, clients, tally);
    await guessed(scene, clients, tally);
  },
};

async function withoutApproval(
  scene: Scene,
  { app, open }: OidcClients,
  tally: Tally,
): Promise<void> {
  const { target, provider, session } = scene;
  const path = devicePath(provider);
  const signedIn = (): Browser => new Browser(target, provider, session);
  const ways: readonly (readonly [string, (code: DeviceCode) => Promise<unknown>])[] = [
    ["before anybody approves it", async () => undefined],
    [
      "that a browser without a session approves",
      (code) => approve(scene, new Browser(target, provider), code),
    ],
    [
      "that another site approves, without the secret of the form",
      async ({ user }) => {
        const form = { user_code: user, confirm: "yes" };
        const browser = signedIn();
        await openPage(browser, scene);
        for (const xsrf of [undefined, "", "x", "undefined"]) {
          const fields = withoutUndefined({ ...form, xsrf });
          await browser.go({ path, form: fields, headers: CROSS_SITE });
        }
      },
    ],
    [
      "that another site approves, before the page was opened",
      ({ user }) =>
        signedIn().go({ path, form: { user_code: user, confirm: "yes" }, headers: CROSS_SITE }),
    ],
    [
      "that another site approves, with the secret of an attacker's form",
      async ({ user }) => {
        const attacker = new Browser(target, provider);
        const xsrf = await openPage(attacker, scene);
        const browser = signedIn();
        await openPage(browser, scene);
        await browser.go({ path, form: { xsrf, user_code: user, confirm: "yes" } });
      },
    ],
    [
      "that a link approves",
      ({ user }) => {
        const query = new URLSearchParams({ user_code: user, confirm: "yes", xsrf: "" });
        return signedIn().go({ path: `${path}?${query}` });
      },
    ],
    [
      "that a person has only entered",
      async ({ user }) => {
        const browser = signedIn();
        const xsrf = await openPage(browser, scene);
        await browser.go({ path, form: { xsrf, user_code: user } });
      },
    ],
    [
      "that a person has cancelled",
      async (code) => {
        const browser = signedIn();
        const xsrf = await openPage(browser, scene);
        await browser.go({ path, form: { xsrf, user_code: code.user, abort: "yes" } });
        await approve(scene, signedIn(), code);
      },
    ],
  ];
  for (const client of [app, open]) {
    for (const [what, act] of ways) {
      const code = await startDevice(scene, client);
      await act(code);
      tally.tried();
      if ((await pollDevice(scene, code)) !== undefined)
        tally.gotThrough(`the client ${client.id} gets tokens for a device code ${what}`);
    }
  }
  const closed = findClosedClient(target);
  if (closed === undefined) return;
  const code = await startDevice(scene, closed);
  await approve(scene, signedIn(), code);
  tally.tried();
  if ((await pollDevice(scene, code)) !== undefined)
    tally.gotThrough("a person who may not open the app approves a device");
}

const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", Origin: "https://elsewhere.example" };

async function afterApproval(
  scene: Scene,
  { app, other, open }: OidcClients,
  tally: Tally,
): Promise<void> {
  const { target, provider, session } = scene;
  const approved = async (): Promise<DeviceCode> => {
    const code = await startDevice(scene, app);
    await approve(scene, new Browser(target, provider, session), code);
    return code;
  };
  const code = await approved();
  for (const thief of [other, open]) {
    tally.tried();
    if ((await pollDevice(scene, { ...code, client: thief })) !== undefined)
      tally.gotThrough(`an approved device code gives tokens to the client ${thief.id}`);
  }
  for (const authenticating of [{}, { form: { client_id: app.id } }]) {
    tally.tried();
    const form = { grant_type: DEVICE_GRANT, device_code: code.device };
    if (tokensIn(await post(scene, "token_endpoint", authenticating, form)) !== undefined)
      tally.gotThrough("an approved device code gives tokens without the secret of its client");
  }
  const tokens = await pollDevice(scene, await approved());
  if (tokens === undefined) throw new Undecided("an approved device gets no tokens");

  const { second } = target.oidc ?? {};
  const raced = await approved();
  const polled = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, at) =>
      pollDevice(scene, raced, at % 2 === 0 ? undefined : second),
    ),
  );
  const winners = polled.flatMap((one) => one ?? []);
  tally.tried();
  if (winners.length > 1)
    tally.gotThrough(
      `a device code gives tokens to ${winners.length} of ${AT_ONCE} requests at once`,
    );
  for (const winner of winners) {
    tally.tried();
    for (const what of await describeAlive(scene, app, winner))
      tally.gotThrough(`${what} still works after ${AT_ONCE} uses of a device code at once`);
  }
  const again = await approved();
  const first = await pollDevice(scene, again);
  tally.tried();
  if ((await pollDevice(scene, again, second)) !== undefined)
    tally.gotThrough("a device code gives tokens again");
  tally.tried();
  for (const what of first === undefined ? [] : await describeAlive(scene, app, first))
    tally.gotThrough(`${what} still works after the second use of a device code`);
}

/** Codes that resemble the one that a device shows. */
async function guessed(scene: Scene, { app }: OidcClients, tally: Tally): Promise<void> {
  const { target, provider, session } = scene;
  const { user } = await startDevice(scene, app);
  const next = user.at(-1) === "B" ? "C" : "B";
  const guesses = [
    user.slice(0, -1),
    `${user.slice(0, -1)}${next}`,
    `${user}${next}`,
    `${next}${user.slice(1)}`,
    `${user.slice(0, -1)}%`,
    `${user.slice(0, -1)}_`,
    `${user.slice(0, -1)}*`,
    [...user].reverse().join(""),
    `' OR '1'='1`,
    "%",
    "%%%%-%%%%",
    "____-____",
  ];
  const browser = new Browser(target, provider, session);
  const path = devicePath(provider);
  for (const user_code of guesses) {
    if (user_code === user) continue;
    const xsrf = await openPage(browser, scene);
    tally.tried();
    const { response } = await browser.go({ path, form: { xsrf, user_code } });
    if (/name="confirm"/.test(response.body))
      tally.gotThrough(`a guessed code is taken: ${JSON.stringify(user_code)}`);
  }
}
