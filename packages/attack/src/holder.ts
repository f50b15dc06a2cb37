import { at, type Begun, begin, coded, type Signed } from "./attacks/handoff.ts";
import { type BegunCodes, beginCodes, codeShown, turnCodesOn } from "./codes.ts";
import { Skipped } from "./errors.ts";
import { headerOf } from "./http/response.ts";
import { type AddedPasskey, addPasskey, signInChallenge } from "./passkeys.ts";
import { join, makeLink, type Person } from "./people.ts";
import { type Account, newAddress, send, signIn, type Target } from "./target.ts";

export type TokenName =
  | "session"
  | "session of another host"
  | "one-time link"
  | "hand-off code"
  | "recovery code"
  | "one-time code"
  | "remembered device"
  | "key"
  | "assertion"
  | "passkey challenge"
  | "password"
  | "begun codes";

/** An account with a token of each purpose that the server has. */
export interface Holder {
  readonly person: Person;
  readonly tokens: ReadonlyMap<TokenName, string>;
  /** The value of the cookie of a remembered device, which stands for a code. */
  readonly device: string;
  readonly passkey: AddedPasskey | undefined;
  /** A browser at another host, for which the hand-off code is. */
  readonly begun: { readonly host: string; readonly browser: Begun } | undefined;
  /** Another account, which has begun to turn codes on. */
  readonly beginner: Person & BegunCodes;
}

export async function createHolder(
  target: Target,
  admin: Account,
  prefix: string,
): Promise<Holder> {
  const joined = await join(target, admin, prefix);
  const { username, password } = joined;
  const passkey = await unlessSkipped(addPasskey(target, joined.token));
  const codes = await turnCodesOn(target, joined.token);
  const person: Person = { ...joined, token: codes.token };
  const { token } = person;
  const [recovery = "", used = ""] = codes.recoveryCodes;
  const device = await rememberDevice(target, { username, password, code: used });
  const other = await join(target, admin, prefix);
  const beginner = { ...other, ...(await beginCodes(target, other.token)) };

  const tokens = new Map<TokenName, string | undefined>([
    ["session", token],
    ["one-time link", await makeLink(target, admin, { groups: "family" })],
    ["recovery code", recovery],
    ["one-time code", codeShown(codes.secret, 1)],
    ["remembered device", device],
    ["key", await addKey(target, token)],
    ["assertion", await askForAssertion(target, token)],
    ["passkey challenge", passkey && (await signInChallenge(target))],
    ["password", password],
    ["begun codes", beginner.sealed],
  ]);
  const [host] = target.access?.handoffHosts ?? [];
  const own: Signed = { target, account: person };
  const browser = host === undefined ? undefined : await begin(own, host);
  const begun = host && browser && { host, browser };
  if (begun) {
    const earlier = await begin(own, begun.host);
    const there = await at(own, begun.host, await coded(own, earlier), earlier.cookie);
    tokens.set("session of another host", there.session);
    const query = new URLSearchParams(await coded(own, begun.browser));
    tokens.set("hand-off code", query.get("code") ?? undefined);
  }
  const held = [...tokens].flatMap(([name, text]): readonly [TokenName, string][] =>
    text ? [[name, text]] : [],
  );
  return {
    ...{ person, tokens: new Map(held), device, passkey, beginner },
    begun: begun || undefined,
  };
}

/** `undefined` where the server does not offer it. */
async function unlessSkipped<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Skipped) return undefined;
    throw error;
  }
}

async function rememberDevice(
  target: Target,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const from = await newAddress(target);
  const { cookies } = await signIn(target, { ...fields, remember_device: "1" }, { from });
  return /latchkey-device=([^;]+)/.exec(String(cookies))?.[1] ?? "";
}

async function addKey(target: Target, session: string): Promise<string | undefined> {
  const form = { name: "attack", days: "30" };
  const { body } = await send(target, { path: "/account/keys/add", form, session });
  return /latchkey_[\w-]+/.exec(body)?.[0];
}

const askForAssertion = async (target: Target, session: string): Promise<string | undefined> =>
  headerOf(await send(target, { path: "/forward-auth", session }), "latchkey-assertion");
