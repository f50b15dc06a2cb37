import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { DEVELOPMENT_SECRET } from "../../src/core/session-token.ts";
import { type RunningApp, startApp } from "../support/app.ts";
import { send } from "../support/client.ts";
import { serveHere } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { OWNER, SECRET } from "../support/gate.ts";
import { inSeconds, mint, partsOf } from "../support/mint.ts";
import { tempDir } from "../support/temp-dir.ts";

const SETUP = { form: { ...OWNER, confirm: OWNER.password } };
const GUARDED = ["/operation", "/handler"] as const;

async function setUp(app: RunningApp): Promise<string> {
  const { session } = await app.send("/setup", SETUP);
  assert.ok(session);
  return session;
}

function isSignedWith(secret: string, token: string): boolean {
  const end = token.lastIndexOf(".");
  const signature = createHmac("sha256", secret).update(token.slice(0, end)).digest("base64url");
  return token.slice(end + 1) === signature;
}

const wellSigned = () => mint({ user_id: "unknown", exp: inSeconds(60) });

for (const { path, location } of [
  { path: "/operation", location: "/setup" },
  { path: "/handler", location: "/login" },
]) {
  test(`while no account exists, ${path} redirects to ${location}, with or without a token`, async (t) => {
    const app = await startApp(t);
    for (const session of [undefined, "nonsense", wellSigned()]) {
      const answer = await app.send(path, { session });
      assert.deepEqual([answer.status, answer.location, answer.body], [303, location, ""]);
    }
  });
}

for (const path of GUARDED) {
  test(`once an account exists, ${path} redirects signed-out clients to /login`, async (t) => {
    const app = await startApp(t);
    await setUp(app);
    for (const session of [undefined, "", "nonsense", wellSigned()]) {
      const answer = await app.send(path, { session });
      assert.deepEqual([answer.status, answer.location, answer.body], [303, "/login", ""]);
    }
  });

  test(`${path} admits a signed-in user on the first and on later requests`, async (t) => {
    const app = await startApp(t);
    const session = await setUp(app);
    for (const time of ["first", "second"]) {
      const answer = await app.send(path, { session });
      assert.equal(answer.status, 200, time);
      assert.match(answer.body, /^protected/);
    }
  });
}

test("passes the user to a guarded operation", async (t) => {
  const app = await startApp(t);
  const { body } = await app.send("/operation", { session: await setUp(app) });
  assert.equal(body, "protected, for owner");
});

test("requireAuth checks whether an account exists, authMiddleware only checks the user", async (t) => {
  const app = await startApp(t);
  execute(
    app.databaseFile,
    "INSERT INTO users (id, username, password_hash) VALUES ('u1', 'somebody', 'no hash')",
  );
  const session = mint({ user_id: "u1", exp: inSeconds(60) });
  assert.equal((await app.send("/handler", { session })).status, 200);
  // The handler's guard still has the user in its cache, although the row is deleted.
  execute(app.databaseFile, "DELETE FROM users");
  assert.equal((await app.send("/operation", { session })).location, "/setup");
});

test("currentUser returns the ID and the username, but not the hash", async (t) => {
  const app = await startApp(t);
  const session = await setUp(app);
  const { body } = await app.send("/who", { session });
  const id = partsOf(session).claims.user_id;
  assert.deepEqual(JSON.parse(body), { id, username: OWNER.username });
});

test("currentUser returns undefined without an account, without a cookie and with a wrong one", async (t) => {
  const app = await startApp(t);
  assert.equal((await app.send("/who", { session: wellSigned() })).body, "null");
  await setUp(app);
  for (const session of [undefined, "", "nonsense", wellSigned()]) {
    assert.equal((await app.send("/who", { session })).body, "null");
  }
});

test("signs with the configured secret, without a warning", async (t) => {
  const app = await startApp(t);
  assert.deepEqual(app.log, []);
  assert.ok(isSignedWith(SECRET, await setUp(app)));
});

for (const secret of [undefined, ""]) {
  test(`with the secret ${JSON.stringify(secret)}, signs with the development secret and logs a warning`, async (t) => {
    const app = await startApp(t, { secret });
    assert.deepEqual(
      app.log.map(({ level }) => level),
      ["warn"],
    );
    assert.match(app.log[0]?.message ?? "", /development secret/);
    const session = await setUp(app);
    assert.ok(isSignedWith(DEVELOPMENT_SECRET, session));
    const { user_id } = partsOf(session).claims;
    const unsigned = mint({ user_id, exp: inSeconds(60) }, { secret: "" });
    assert.equal((await app.send("/operation", { session: unsigned })).location, "/login");
    assert.equal((await app.send("/operation", { session })).status, 200);
  });
}

for (const { given, secret } of [
  { given: "a long random text", secret: "a long random text" },
  { given: "", secret: DEVELOPMENT_SECRET },
]) {
  test(`AUTH_SECRET=${JSON.stringify(given)} in the environment selects the signing secret`, async (t) => {
    const env = { AUTH_SECRET: given, DATA_DIR: await tempDir(t) };
    const gate = await serveHere(t, env);
    const { session = "" } = await send(`${gate.url}/setup`, SETUP);
    assert.ok(isSignedWith(secret, session));
    assert.equal(gate.stdout().includes("development secret"), secret === DEVELOPMENT_SECRET);
  });
}

test("writes the warning to standard error if the application has no logger", async () => {
  const index = new URL("../../src/index.ts", import.meta.url);
  const code = `import { createAuth } from ${JSON.stringify(index.href)};
    createAuth({ store: {}, secret: undefined });`;
  const args = ["--input-type=module", "--eval", code];
  const { stderr } = await promisify(execFile)(process.execPath, args);
  assert.match(stderr, /development secret/);
});
