import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../support/app.ts";
import { execute, refuse, stopRefusing } from "../support/database.ts";
import {
  changeForm,
  OWNER,
  type RunningGate,
  SECRET,
  SETUP_FORM,
  startGate,
} from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";

const NEW = "another password";
const PASSWORD_FORM = changeForm(OWNER.password, NEW);

const NO_USERS = /<p class="about" role="alert">no such table: users<\/p>/;
const CALM = /<p class="about" role="alert">The server could not answer this request\.<\/p>/;

function hideUsers(databaseFile: string): void {
  execute(databaseFile, "ALTER TABLE users RENAME TO hidden");
}

const requests: Readonly<
  Record<string, { readonly path: string; readonly form?: Readonly<Record<string, string>> }>
> = {
  "GET /setup": { path: "/setup" },
  "GET /login": { path: "/login" },
  "GET /": { path: "/" },
  "POST /login": { path: "/login", form: OWNER },
  "POST /setup": { path: "/setup", form: SETUP_FORM },
  "POST /account/password": { path: "/account/password", form: PASSWORD_FORM },
};

for (const state of ["unconfigured", "configured"] as const) {
  test(`every endpoint answers a store failure with the error page, ${state}; only the setup shows its text`, async (t) => {
    const gate = await startGate(t);
    const session = state === "configured" ? await gate.setUp() : undefined;
    hideUsers(gate.databaseFile);
    for (const [what, { path, form }] of Object.entries(requests)) {
      const answer = await gate.send(path, { session, ...(form && { form }) });
      assert.equal(answer.status, 500, what);
      assert.match(answer.body, what === "POST /setup" ? NO_USERS : CALM, what);
      assert.deepEqual(answer.cookies, []);
    }
    const failed = gate.serverLog.filter(({ msg }) => msg === "request failed");
    assert.equal(failed.length, Object.keys(requests).length);
  });
}

for (const path of ["/operation", "/handler"]) {
  test(`${path} is not served when the guard's lookup fails`, async (t) => {
    const app = await startApp(t);
    const { session } = await app.send("/setup", { form: SETUP_FORM });
    hideUsers(app.databaseFile);
    const unknown = mint({ user_id: "unknown", exp: inSeconds(60) }, { secret: SECRET });
    for (const token of [session, unknown]) {
      const answer = await app.send(path, { session: token });
      assert.equal(answer.status, 500);
      assert.match(answer.body, CALM);
      assert.equal(app.reached(), 0);
    }
  });
}

test("a setup can be repeated after its insert failed", async (t) => {
  const gate = await startGate(t);
  refuse(gate.databaseFile, "INSERT ON users", "no room for users");
  const failed = await gate.send("/setup", { form: SETUP_FORM });
  assert.equal(failed.status, 500);
  stopRefusing(gate.databaseFile);
  await gate.setUp();
});

test("shows why a new password could not be stored, and keeps the old one", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  refuse(gate.databaseFile, "UPDATE ON users", "no room for hashes");
  const headers = { "HX-Request": "true" };
  const answer = await gate.send("/account/password", { session, form: PASSWORD_FORM, headers });
  assert.equal(answer.status, 500);
  assert.match(answer.body, /<p class="about" role="alert">no room for hashes<\/p>/);
  assert.equal(answer.headers["hx-refresh"], undefined);
  assert.equal((await gate.signIn()).location, "/");
  assert.deepEqual(
    (await gate.logEntries(2)).map(({ type }) => type),
    ["signup", "signin"],
  );
});

test("a stored hash that cannot be read is a wrong password, with a line in the server log", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  for (const hash of ["nonsense", "$argon2id$v=19$m=19456,t=2,p=1$AAAA$"]) {
    execute(gate.databaseFile, `UPDATE users SET password_hash = '${hash}'`);
    const answer = await gate.signIn({ password: hash });
    assert.deepEqual([answer.location, answer.cookies], ["/login?error=1", []]);
    const form = changeForm(hash, NEW);
    assert.equal((await gate.send("/account/password", { session, form })).status, 422);
  }
  const told = gate.serverLog.filter(({ msg }) => /stored password hash cannot be/.test(`${msg}`));
  assert.equal(told.length, 4);
});

test("logs a failure in the server log without secrets", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  hideUsers(gate.databaseFile);
  const secrets = { password: "pass-7Qx", new_password: "new-8Ry", token: "token-9Sz" };
  for (const path of ["/login", "/setup", "/account/password"]) {
    await gate.send(path, { session, form: { ...OWNER, ...secrets } });
  }
  const logged = errorsIn(gate);
  assert.match(logged, /no such table: users/);
  for (const secret of [...Object.values(secrets), session, SECRET]) {
    assert.ok(!logged.includes(secret));
  }
});

function errorsIn(gate: RunningGate): string {
  return JSON.stringify(gate.serverLog.filter(({ level }) => level === "error"));
}

test("answers 503 with Retry-After when too many hashes are in progress", async (t) => {
  let arrived = 0;
  const bothThere = Promise.withResolvers<void>();
  const read = async () => {
    arrived += 1;
    if (arrived === 2) bothThere.resolve();
    await bothThere.promise;
    return undefined;
  };
  const app = await startApp(t, {
    signIn: { hashing: { atOnce: 1, waiting: 0 } },
    setupToken: { read, delete: async () => {} },
  });
  const answers = await Promise.all([
    app.send("/setup", { form: SETUP_FORM }),
    app.send("/setup", { form: SETUP_FORM }),
  ]);
  const [served, busy] = answers.sort((a, b) => a.status - b.status);
  assert.equal(served?.status, 303);
  assert.equal(busy?.status, 503);
  assert.match(busy?.headers["retry-after"] ?? "", /^[1-9]\d*$/);
  assert.match(busy?.body ?? "", />the server is busy: try again in a moment</);
  assert.deepEqual(busy?.cookies, []);
  const later = await app.send("/login", { form: OWNER });
  assert.equal(later.location, "/");
});
