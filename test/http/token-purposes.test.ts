import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { addPasskey, SIGN_IN, sender } from "../spec/at-passkeys.ts";
import { addKey } from "../support/add-key.ts";
import type { Sending } from "../support/client.ts";
import { outputOf } from "../support/command.ts";
import { OWNER, type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { begunIn, codeShown, turnCodesOn } from "../support/one-time-codes.ts";

const AUTH = "auth.example.org";
const PHOTOS = "photos.other.test";
const HANDOFF = `/login/handoff?return_to=${encodeURIComponent(`https://${PHOTOS}/`)}`;
const SETTINGS = {
  publicUrl: `https://${AUTH}`,
  returnDomains: ["other.test"],
  trustedProxies: ["127.0.0.1"],
  assertions: "on",
} as const;
const NEW = { username: "invited", password: "battery staple", confirm: "battery staple" };

/** Where each token is taken. No other place takes it. */
const TAKEN_AT = {
  session: ["session cookie", "session cookie of another host"],
  "session of another host": ["session cookie of another host"],
  "one-time link": ["address of a link"],
  "hand-off code": ["hand-off"],
  "recovery code": ["code of a sign-in"],
  "one-time code": ["code of a sign-in"],
  "remembered device": ["device cookie"],
  key: ["Bearer", "password of Basic"],
  assertion: [],
  "passkey challenge": ["challenge of a passkey"],
  password: ["password"],
  "begun codes": ["confirmation of codes"],
} as const;

type Token = keyof typeof TAKEN_AT;
type Place = (typeof TAKEN_AT)[Token][number];

/** For a place whose limit counts by account, a gate whose limit nobody has used up. */
type GateFor = (place: string) => Promise<RunningGate>;

let addresses = 0;
/** A browser of its own, at this host. */
function from(host: string, sending: Sending = {}): Sending {
  addresses += 1;
  const headers = {
    ...{ Host: host, "X-Forwarded-Host": host, "X-Forwarded-Proto": "https" },
    "X-Forwarded-For": `192.0.2.${addresses % 250}`,
  };
  return { ...sending, headers: { ...headers, ...sending.headers } };
}

async function makeTokens(t: TestContext) {
  const { gate, session } = await startConfigured(t, SETTINGS);
  const again = { ...SETTINGS, dataDir: gate.dataDir };
  const gateFor: GateFor = async (place) =>
    place === "code of a sign-in" ? startGate(t, again) : gate;
  const { passkey, userId } = await addPasskey(sender(gate), session);
  const codes = await turnCodesOn(gate, session);
  const proven = codes.answer.session ?? "";
  const shown = [...codes.answer.body.matchAll(/\d{5}(-\d{5}){4}/g)];
  const [recovery = "", used = ""] = shown.map(([text]) => text);
  const remembering = { ...OWNER, code: used, remember_device: "1" };
  const remembered = await gate.send("/login", from(AUTH, { form: remembering }));
  const device = /latchkey-device=([^;]+)/.exec(String(remembered.cookies))?.[1] ?? "";

  /** Begins at the other host, and returns its cookie and a code for it. */
  async function beginHandoff() {
    const begun = await gate.send(HANDOFF, from(PHOTOS));
    const [cookie = ""] = begun.cookies[0]?.split(";") ?? [];
    const { pathname, search } = new URL(begun.location ?? "");
    const given = await gate.send(`${pathname}${search}`, from(AUTH, { session: proven }));
    return { cookie, code: new URL(given.location ?? "").searchParams.get("code") ?? "" };
  }
  const take = (at: RunningGate, cookie: string, token: string) =>
    at.send(
      `${HANDOFF}&code=${encodeURIComponent(token)}`,
      from(PHOTOS, { headers: { Cookie: cookie } }),
    );
  const earlier = await beginHandoff();
  const bound = (await take(gate, earlier.cookie, earlier.code)).session ?? "";
  const begunHandoff = await beginHandoff();

  const add = ["user", "add", "second", "--password-stdin"];
  await outputOf(add, { env: { DATA_DIR: gate.dataDir }, input: OWNER.password });
  const second = (await gate.send("/login", from(AUTH, { form: { ...OWNER, username: "second" } })))
    .session;
  const begin = from(AUTH, { session: second, form: {} });
  const begun = begunIn((await gate.send("/account/codes/begin", begin)).body);
  const asked = await gate.send("/forward-auth", from(AUTH, { session: proven }));
  const challenged = await gate.send(SIGN_IN, from(AUTH, { form: {} }));

  const tokens: Readonly<Record<Token, string>> = {
    session: proven,
    "session of another host": bound,
    "one-time link": (await linkPath(gate, "invite")).slice("/link/".length),
    "hand-off code": begunHandoff.code,
    "recovery code": recovery,
    "one-time code": codeShown(codes.key, 1),
    "remembered device": device,
    key: await addKey(gate, "--factor", "2"),
    assertion: String(asked.headers["latchkey-assertion"]),
    "passkey challenge": JSON.parse(challenged.body).challenge,
    password: OWNER.password,
    "begun codes": begun.sealed,
  };

  const authorized = async (at: RunningGate, Authorization: string) =>
    (await at.send("/forward-auth", from(AUTH, { headers: { Authorization } }))).status === 200;
  const signsIn = async (at: RunningGate, form: object, Cookie = "") =>
    (await at.send("/login", from(AUTH, { form: { ...OWNER, ...form }, headers: { Cookie } })))
      .session !== undefined;

  /** Whether a place takes a token. */
  const places: Readonly<Record<Place, (at: RunningGate, token: string) => Promise<boolean>>> = {
    "session cookie": async (at, token) =>
      (await at.send("/account/me", from(AUTH, { session: token }))).status === 200,
    "session cookie of another host": async (at, token) =>
      (await at.send("/forward-auth", from(PHOTOS, { session: token }))).status === 200,
    Bearer: (at, token) => authorized(at, `Bearer ${token}`),
    "password of Basic": (at, token) => authorized(at, `Basic ${btoa(`owner:${token}`)}`),
    "address of a link": async (at, token) => {
      const path = `/link/${encodeURIComponent(token)}`;
      const shown = await at.send(path, from(AUTH));
      return (
        shown.status === 200 || (await at.send(path, from(AUTH, { form: NEW }))).status === 303
      );
    },
    "hand-off": async (at, token) =>
      (await take(at, begunHandoff.cookie, token)).session !== undefined,
    "code of a sign-in": (at, token) => signsIn(at, { code: token }),
    "device cookie": (at, token) => signsIn(at, {}, `latchkey-device=${token}`),
    password: (at, token) => signsIn(at, { username: "second", password: token }),
    "confirmation of codes": async (at, token) => {
      const form = { sealed: token, code: codeShown(begun.key) };
      const sending = from(AUTH, { session: second, form });
      return (await at.send("/account/codes/confirm", sending)).session !== undefined;
    },
    "challenge of a passkey": async (at, token) => {
      const answer = passkey.get(token, userId);
      const form = {
        ...{ credential: answer.id, user_handle: answer.userHandle },
        ...{ client_data: answer.clientData, authenticator_data: answer.authenticatorData },
        signature: answer.signature,
      };
      return (await at.send(SIGN_IN, from(AUTH, { form }))).session !== undefined;
    },
  };
  return { gateFor, tokens, places };
}

test("each token opens its own places, and no other place takes it", async (t) => {
  const { gateFor, tokens, places } = await makeTokens(t);
  for (const [name, token] of Object.entries(tokens)) assert.ok(token.length >= 6, name);
  const pairs = Object.entries(tokens).flatMap(([name, token]) =>
    Object.entries(places).map(([place, take]) => ({ name, token, place, take })),
  );
  const isOwn = ({ name, place }: (typeof pairs)[number]): boolean =>
    TAKEN_AT[name as Token].some((one) => one === place);
  // Its own places last, because some use a token up.
  for (const pair of pairs.filter((one) => !isOwn(one))) {
    const { name, token, place, take } = pair;
    assert.equal(await take(await gateFor(place), token), false, `${name} as ${place}`);
  }
  for (const { name, token, place, take } of pairs.filter(isOwn)) {
    assert.equal(await take(await gateFor(place), token), true, `${name} as ${place}`);
  }
});
