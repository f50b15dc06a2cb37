import type { Attack } from "../attack.ts";
import { codeShown } from "../codes.ts";
import { Undecided } from "../errors.ts";
import { createHolder, type Holder, type TokenName } from "../holder.ts";
import { signsInWithPasskey } from "../passkeys.ts";
import { act, administrator, openLinks, type Person, randomId, removePeople } from "../people.ts";
import { isSignedIn, isSuccess, newAddress, send, signIn, type Target } from "../target.ts";
import { at } from "./handoff.ts";

/** Where each token is taken. No other place takes it. */
const TAKEN_AT: Readonly<Record<TokenName, readonly string[]>> = {
  session: ["session cookie", "session cookie of another host"],
  "session of another host": ["session cookie of another host"],
  "one-time link": ["address of a link"],
  "hand-off code": ["hand-off code"],
  "recovery code": ["code of a sign-in"],
  "one-time code": ["code of a sign-in"],
  "remembered device": ["device cookie"],
  key: ["Bearer", "password of Basic"],
  assertion: [],
  "passkey challenge": ["challenge of a passkey"],
  password: ["password"],
  "begun codes": ["confirmation of codes"],
};

/** With the sign-in that remembers a device and the one at the end, an account's codes of a minute. */
const CODES_TRIED = 3;

/** Creates accounts and links, and removes them. */
export const tokenPurposes: Attack = {
  name: "token-purposes",
  about: "tokens of one purpose where those of another are expected",
  meaning: "A token that is less protected, or opens less, does what another token should do.",
  noun: "tokens",
  verb: "taken at a wrong place",
  needs: ["account", "fresh"],

  async run(target, tally) {
    const admin = await administrator(target);
    const before = new Set(await openLinks(target, admin));
    const prefix = `attack-${randomId()}`;
    const people: Person[] = [];
    const holderOfAll = async (): Promise<Holder> => {
      const holder = await createHolder(target, admin, prefix);
      people.push(holder.person, holder.beginner);
      return holder;
    };
    const refused = async (holder: Holder, name: TokenName, place: string): Promise<void> => {
      tally.tried();
      const isTaken = await placesOf(target, holder).get(place)?.(holder.tokens.get(name) ?? "");
      if (isTaken) tally.gotThrough(`${name} taken as ${place}`);
    };

    const first = await holderOfAll();
    for (const name of first.tokens.keys()) {
      for (const place of placesOf(target, first).keys()) {
        const isOwn = TAKEN_AT[name].includes(place);
        if (!isOwn && place !== CODE) await refused(first, name, place);
      }
    }
    const asCodes = [...first.tokens.keys()].filter((name) => !TAKEN_AT[name].includes(CODE));
    let holder = first;
    for (let done = 0; done < asCodes.length; done += CODES_TRIED) {
      if (done > 0) holder = await holderOfAll();
      for (const name of asCodes.slice(done, done + CODES_TRIED)) await refused(holder, name, CODE);
      // If the right code were refused too, so would be any other token.
      await requireTaken(target, holder, done > 0 ? "recovery code" : "one-time code", CODE);
    }

    // Its own places last, because some use a token up.
    for (const name of first.tokens.keys()) {
      for (const place of TAKEN_AT[name])
        if (place !== CODE) await requireTaken(target, first, name, place);
    }
    for (const link of await openLinks(target, admin))
      if (!before.has(link)) await act(target, admin.token, "revoke", { link });
    await removePeople(target, admin, people);
  },
};

const CODE = "code of a sign-in";

/** If a place did not take its own token, that it refuses others would prove nothing. */
async function requireTaken(
  target: Target,
  holder: Holder,
  name: TokenName,
  place: string,
): Promise<void> {
  const take = placesOf(target, holder).get(place);
  if (take !== undefined && !(await take(holder.tokens.get(name) ?? "")))
    throw new Undecided(`the ${name} is not accepted as ${place}`);
}

/** Whether a place takes a token. */
type Take = (text: string) => Promise<boolean>;

/** The places of the server, with what else each of them asks for. */
function placesOf(target: Target, holder: Holder): ReadonlyMap<string, Take> {
  const { tokens, begun, passkey } = holder;
  const atHost = begun?.host;
  const places: Readonly<Record<string, Take | false>> = {
    "session cookie": (text) => isSignedIn(target, `session=${text}`),
    "session cookie of another host":
      atHost !== undefined &&
      (async (session) =>
        (await send(target, { path: "/forward-auth", session, headers: { Host: atHost } }))
          .status === 200),
    Bearer: tokens.has("key") && ((text) => isAuthorized(target, `Bearer ${text}`)),
    "password of Basic":
      tokens.has("key") &&
      ((text) => isAuthorized(target, `Basic ${btoa(`${holder.person.username}:${text}`)}`)),
    "address of a link": (text) => opensLink(target, text),
    "hand-off code": begun !== undefined && ((text) => takesHandoff(target, begun, text)),
    [CODE]: (code) => signsIn(target, holder.person, { code }),
    "device cookie": (device) => signsIn(target, holder.person, {}, device),
    password: (password) => signsIn(target, holder.person, { password }, holder.device),
    "confirmation of codes": (sealed) => confirms(target, holder, sealed),
    "challenge of a passkey":
      passkey !== undefined &&
      ((text) =>
        signsInWithPasskey(target, passkey.passkey.used(text, passkey.userId, passkey.answering))),
  };
  return new Map(
    Object.entries(places).flatMap(([name, take]) => (take === false ? [] : [[name, take]])),
  );
}

async function isAuthorized(target: Target, Authorization: string): Promise<boolean> {
  const request = { path: "/forward-auth", headers: { Authorization } };
  const { status } = await send(target, { ...request, from: await newAddress(target) });
  return status === 200;
}

async function opensLink(target: Target, text: string): Promise<boolean> {
  const path = `/link/${encodeURIComponent(text)}`;
  if ((await send(target, { path })).status === 200) return true;
  const form = { username: `attack-${randomId()}`, password: text, confirm: text };
  return isSuccess(await send(target, { path, form, from: await newAddress(target) }));
}

async function takesHandoff(
  target: Target,
  { host, browser }: NonNullable<Holder["begun"]>,
  text: string,
): Promise<boolean> {
  const query = `?code=${encodeURIComponent(text)}`;
  return (await at({ target }, host, query, browser.cookie)).session !== undefined;
}

async function signsIn(
  target: Target,
  { username, password }: Person,
  fields: Readonly<Record<string, string>>,
  device?: string,
): Promise<boolean> {
  const headers = device === undefined ? {} : { Cookie: `latchkey-device=${device}` };
  const from = await newAddress(target);
  return isSuccess(await signIn(target, { username, password, ...fields }, { headers, from }));
}

/** Its answer has the recovery codes. */
async function confirms(target: Target, { beginner }: Holder, sealed: string): Promise<boolean> {
  const form = { sealed, code: codeShown(beginner.secret) };
  const path = "/account/codes/confirm";
  const { body } = await send(target, { path, form, session: beginner.token });
  return /\b\d{5}(?:-\d{5}){4}\b/.test(body);
}
