import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { OWNER, SETUP_FORM, startConfigured, startGate } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const server = await sharedPostgres();

/** Every form of the gate, with its fields. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  "/setup": ["token", "username", "password", "confirm", "domain"],
  "/login": ["username", "password", "code", "return_to"],
  "/login/passkey": ["credential", "user_handle", "client_data", "authenticator_data", "signature"],
  "/link/a%00b": ["username", "password", "confirm"],
  "/account/sessions/end": ["session", "device"],
  "/account/codes/confirm": ["sealed", "code"],
  "/account/passkeys/add": ["name", "client_data", "attestation"],
  "/account/passkeys/rename": ["passkey", "name"],
  "/account/passkeys/remove": ["passkey"],
  "/account/keys/add": ["name", "hosts", "days"],
  "/account/keys/revoke": ["key"],
  "/account/people/invite": ["username", "groups", "until", "guest", "apps_listed"],
  "/account/people/reset": ["user", "codes_off"],
  "/account/people/revoke": ["link"],
  "/account/people/change": ["user", "username", "groups", "groups_listed", "version"],
  "/account/people/groups": ["user", "groups"],
  "/account/people/rename": ["user", "username"],
  "/account/people/sign-out": ["user"],
  "/account/people/remove": ["user"],
  "/account/password": ["current_password", "new_password", "confirm_password"],
};

const PAGES = [
  "/account/people?q=a%00b",
  "/account/people?after=a%00b",
  "/account/people/a%00b",
  "/account/links?after=a%00b",
  "/account/activity?name=a%00b",
  "/account/activity?user=a%00b",
  "/login?return_to=%00",
];

/** The answers of a gate to a NUL in each field, alone and with the others. */
async function answersOf(t: TestContext, databaseUrl: string): Promise<readonly string[]> {
  const { gate, session } = await startConfigured(t, { databaseUrl });
  const answers: string[] = [];
  for (const [path, fields] of Object.entries(FORMS)) {
    for (const hit of ["all", ...fields]) {
      const enteredIn = (field: string) => (hit === "all" || hit === field ? "a\0b" : "a");
      const form = Object.fromEntries(fields.map((field) => [field, enteredIn(field)]));
      const { status, location } = await gate.send(path, { form, session });
      answers.push(`${path} ${hit} ${status} ${location?.split("?")[0]}`);
    }
  }
  for (const path of PAGES) answers.push(`${path} ${(await gate.send(path, { session })).status}`);
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  return answers;
}

test("answers a NUL in any field the same with both databases", async (t) => {
  const answers = await answersOf(t, "");
  assert.deepEqual(await answersOf(t, await server.newDatabase()), answers);
  assert.deepEqual(
    answers.filter((answer) => / 5\d\d/.test(answer)),
    [],
  );
  for (const one of ["/login all 303 /login", "/account/passkeys/rename all 422 undefined"])
    assert.ok(answers.includes(one), answers.join("\n"));
});

for (const [kind, newUrl] of [
  ["SQLite", async () => ""],
  ["PostgreSQL", server.newDatabase],
] as const) {
  test(`${kind}: refuses a NUL in a username, and keeps one in a password`, async (t) => {
    const gate = await startGate(t, { databaseUrl: await newUrl() });
    const refused = await gate.send("/setup", { form: { ...SETUP_FORM, username: "own\0er" } });
    assert.equal(refused.status, 422);
    assert.match(refused.body, /A username cannot contain a NUL character/);
    assert.equal((await gate.send("/login")).status, 200);
    assert.equal((await gate.signIn()).location, "/setup");
    await gate.setUp({ password: "correct\0horse", confirm: "correct\0horse" });
    for (const password of ["correct", "correct\0", "correct\0house", OWNER.password])
      assert.equal((await gate.signIn({ password })).location, "/login?error=1");
    assert.equal((await gate.signIn({ password: "correct\0horse" })).location, "/");
  });
}
