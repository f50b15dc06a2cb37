import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { PEOPLE_FORMS } from "../../src/http/paths.ts";
import { createRandomText, digestText } from "../../src/lib/random-text.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import type { Answer, Sending } from "../support/client.ts";
import { countOf, valuesOf } from "../support/database.ts";
import {
  changeForm,
  OWNER,
  type RunningGate,
  SETUP_FORM,
  startConfigured,
  startGate,
} from "../support/gate.ts";
import { inThePast } from "../support/mint.ts";
import { begunIn, codeShown, turnCodesOn } from "../support/one-time-codes.ts";
import { ADD, addPasskey, BEGIN, HOST, SIGN_IN, sender } from "./at-passkeys.ts";
import { addMember } from "./people/at-people.ts";

const AUTH = `https://${HOST.Host}`;
const PHOTOS = "https://photos.other.test";
const PAGE = { Accept: "text/html" };
const HANDOFF = `/login/handoff?return_to=${encodeURIComponent(`${PHOTOS}/album`)}`;
const AT_PHOTOS = { Host: "photos.other.test" };
const CONFIRM = "/account/codes/confirm";

/** The forms below `/account/`: those that need a recent sign-in, and all. */
const ENROLLED = [
  ...["codes/renew", "codes/off", "passkeys/rename", "passkeys/remove", "keys/add", "keys/revoke"],
];
const RECENT = [...ENROLLED, "codes/begin", "passkeys/begin"];
/** The page for a user who must first turn on a second factor, and the pages for others. */
const ENROLMENT = "/account/sign-in";
const PAGES = ["profile", "devices", "access", "keys", "history"].map((name) => `/account/${name}`);
const PEOPLE = PEOPLE_FORMS.map((name) => `people/${name}`);
const forms = [...RECENT, ...PEOPLE, "password", "sessions/end", "codes/confirm", "passkeys/add"];

/** The fields of all forms: what is missing is a step, not a field. */
const everything: Form = {
  ...OWNER,
  ...changeForm(OWNER.password, "another horse"),
  confirm: OWNER.password,
  user: "id of ann",
  groups: "admins",
  session: "all",
  key_name: "x",
  key: "x",
  passkey: "x",
  name: "x",
  code: "123456",
};

type Form = Readonly<Record<string, string>>;

/** What is skipped, the later step that is requested, its answer, and what is sent with it. */
type Step = readonly [skipped: string, path: string, answer: string | RegExp, sending?: Sending];

/** What the database has, except for what each visit may leave there. */
function contentOf({ databaseFile }: RunningGate): readonly unknown[] {
  const tables = ["users", "passkeys", "codes", "devices", "links", "keys", "handoffs"];
  return tables.map((table) =>
    valuesOf(databaseFile, `SELECT * FROM latchkey_${table} ORDER BY 1`),
  );
}

/** Requests each step from an address of its own, and checks that it has changed and opened nothing. */
async function assertNoneSucceeds(gate: RunningGate, steps: readonly Step[]): Promise<void> {
  const before = contentOf(gate);
  for (const [at, [skipped, path, answer, sending]] of steps.entries()) {
    const headers = { ...HOST, ...sending?.headers };
    const got = await gate.send(path, { from: `127.0.1.${at + 1}`, ...sending, headers });
    const what = `${path} without ${skipped}`;
    const given = `${got.status} ${got.location ?? ""}`.trim();
    if (typeof answer === "string") assert.equal(given, answer, what);
    else assert.match(given, answer, what);
    assert.ok(!(await opens(gate, got)), `${what} opens an app`);
    assert.deepEqual(contentOf(gate), before, `${what} changes the database`);
  }
}

async function opens(gate: RunningGate, { session }: Answer): Promise<boolean> {
  if (session === undefined || session === "") return false;
  return (await gate.send("/forward-auth", { session })).status === 200;
}

async function scene(t: TestContext) {
  const { gate, session } = await startConfigured(t, {
    publicUrl: AUTH,
    returnDomains: ["other.test"],
    requireSecondFactor: ["staff"],
  });
  const { passkey, userId } = await addPasskey(sender(gate), session);
  const { key, answer } = await turnCodesOn(gate, session);
  const member = addMember(gate, "ann");
  const begun = await gate.send("/account/codes/begin", {
    session: addMember(gate, "eve"),
    form: {},
  });
  return {
    gate,
    passkey,
    userId,
    code: codeShown(key, 1),
    proven: answer.session ?? "",
    unproven: session,
    member,
    staff: addMember(gate, "ben", "staff"),
    sealed: begunIn(begun.body).sealed,
    challenge: {
      ofNobody: randomBytes(32).toString("base64url"),
      toAdd: JSON.parse((await gate.send(BEGIN, { session: member, form: {}, headers: HOST })).body)
        .challenge as string,
      toSignIn: JSON.parse((await gate.send(SIGN_IN, { form: {}, headers: HOST })).body)
        .challenge as string,
    },
  };
}

test("no later step works without the earlier ones", async (t) => {
  const { gate, passkey, userId, code, proven, unproven, member, staff, ...made } = await scene(t);
  const { challenge, sealed } = made;
  const passkeyForm = (of: string): Form => {
    const { id, userHandle, clientData, authenticatorData, signature } = passkey.get(of, userId);
    return {
      credential: id,
      user_handle: userHandle,
      client_data: clientData,
      authenticator_data: authenticatorData,
      signature,
    };
  };
  const newPasskey = (of: string): Form => {
    const { name, clientData, attestation } = createAuthenticator().create(of);
    return { name, client_data: clientData, attestation };
  };
  const unsigned = { ...passkeyForm(challenge.toSignIn), signature: "" };
  const form = everything;
  const toConfirm = "303 /login?error=1&again=1&factor=2";
  const confirmation = { ...OWNER, again: "1", factor: "2", remember_device: "1" };
  const old = inThePast(proven);
  const begun = {
    headers: { ...AT_PHOTOS, Cookie: `__Host-latchkey-handoff=${createRandomText()}` },
  };
  const toSignIn = new RegExp(`^303 ${AUTH}/login\\?(handoff_failed=1&)?return_to=`);
  const steps: readonly Step[] = [
    ["the code", "/login", "303 /login?error=1", { form: OWNER }],
    ["the code, as a confirmation", "/login", toConfirm, { form: confirmation }],
    ["the password", "/login", "303 /login?error=1", { form: { username: OWNER.username, code } }],
    ["all fields", "/login", "303 /login?error=1", { form: {} }],
    ["a challenge", SIGN_IN, "303 /login?error=1", { form: passkeyForm(challenge.ofNobody) }],
    ["one to sign in", SIGN_IN, "303 /login?error=1", { form: passkeyForm(challenge.toAdd) }],
    ["a signature", SIGN_IN, "303 /login?error=1", { form: unsigned }],
    ...[form, {}].flatMap((sent) =>
      forms.map((name): Step => ["a session", `/account/${name}`, "303 /login", { form: sent }]),
    ),
    ...["/", "/account/", "/apps", ...PAGES, ENROLMENT, "/account/people"].map(
      (page): Step => ["a session", page, "303 /login"],
    ),
    ["a session", "/account/me", "401"],
    ["a session", "/forward-auth", `303 ${AUTH}/login`, { headers: PAGE }],
    ...[...RECENT, ...PEOPLE].map(
      (name): Step => [
        ...(["a recent sign-in", `/account/${name}`, "403"] as const),
        { form, session: old },
      ],
    ),
    ...PEOPLE.map(
      (name): Step => [
        ...(["being an administrator", `/account/${name}`, "404"] as const),
        { form, session: member },
      ],
    ),
    [
      ...(["the current password", "/account/password", "422"] as const),
      { form: { ...form, current_password: "" }, session: proven },
    ],
    ["a begun key", CONFIRM, "422", { form: { code }, session: member }],
    ["a key of one's own", CONFIRM, "422", { form: { sealed, code }, session: member }],
    ["a begun passkey", ADD, "422", { form: newPasskey(challenge.ofNobody), session: member }],
    ["one begun at home", ADD, "422", { form: newPasskey(challenge.toSignIn), session: member }],
    ...["/", "/account/", "/apps", ...PAGES].map(
      (page): Step => ["a second factor", page, `303 ${ENROLMENT}`, { session: staff }],
    ),
    ...ENROLLED.map(
      (name): Step => [
        ...(["a second factor", `/account/${name}`, `303 ${ENROLMENT}`] as const),
        { form, session: staff },
      ],
    ),
    [
      ...(["a second factor", "/forward-auth", `303 ${AUTH}/account/sign-in`] as const),
      { session: staff, headers: PAGE },
    ],
    [
      ...(["the code", "/forward-auth?factor=2", `303 ${AUTH}/login?factor=2`] as const),
      { session: unproven, headers: PAGE },
    ],
    [
      "a sign-in",
      `${HANDOFF}&browser=${digestText("x")}`,
      /^303 \/login\?return_to=%2Flogin%2Fhandoff/,
    ],
    ["a code", HANDOFF, new RegExp(`^303 ${AUTH}/login/handoff\\?`), { headers: AT_PHOTOS }],
    ["a browser", `${HANDOFF}&code=${createRandomText()}`, toSignIn, { headers: AT_PHOTOS }],
    ["a code of the gate", `${HANDOFF}&code=${createRandomText()}`, toSignIn, begun],
    ["a link", `/link/${createRandomText()}`, "404", { form }],
    ["having no account", "/setup", "303 /login", { form: { ...SETUP_FORM, username: "second" } }],
  ];
  await assertNoneSucceeds(gate, steps);
  assert.equal((await gate.signIn({ code })).location, "/", "with all steps");
});

test("without the setup token, no form of a new gate makes an account", async (t) => {
  const gate = await startGate(t, { publicUrl: AUTH, setupTokenAtStart: "auto" });
  const refused = [SETUP_FORM, { ...SETUP_FORM, token: " " }, { ...SETUP_FORM, token: "x" }];
  await assertNoneSucceeds(gate, [
    ...refused.map((form): Step => ["the token", "/setup", "403", { form }]),
    ["the token", "/setup?token=x", "403", { form: SETUP_FORM }],
    ["the setup", "/login", "303 /setup", { form: OWNER }],
    ["the setup", `/link/${createRandomText()}`, "404", { form: everything }],
    ...forms.map(
      (name): Step => ["the setup", `/account/${name}`, "303 /setup", { form: everything }],
    ),
    ["the setup", "/forward-auth", "401"],
  ]);
  assert.equal(countOf(gate.databaseFile, "latchkey_users"), 0);
});
