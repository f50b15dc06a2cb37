import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { DEVELOPMENT_SECRET } from "../../src/core/sessions/session-token.ts";
import { type RunningApp, startApp } from "../support/app.ts";
import { send } from "../support/client.ts";
import { serveHere } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { OWNER } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { tempDir } from "../support/temp-dir.ts";

const SETUP = { form: { ...OWNER, confirm: OWNER.password } };

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

for (const path of ["/operation", "/handler"]) {
  test(`once an account exists, ${path} admits signed-in users and redirects others to /login`, async (t) => {
    const app = await startApp(t);
    const own = await setUp(app);
    for (const session of [undefined, "", "nonsense", wellSigned()]) {
      const answer = await app.send(path, { session });
      assert.deepEqual([answer.status, answer.location, answer.body], [303, "/login", ""]);
    }
    for (const time of ["first", "second"]) {
      const answer = await app.send(path, { session: own });
      assert.equal(answer.status, 200, time);
      assert.match(answer.body, /^for owner/);
    }
  });
}

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

for (const { given, secret } of [
  { given: "a long random text", secret: "a long random text" },
  { given: "", secret: DEVELOPMENT_SECRET },
]) {
  test(`AUTH_SECRET=${JSON.stringify(given)} in the environment selects the signing secret`, async (t) => {
    const env = { AUTH_SECRET: given, DATA_DIR: await tempDir(t) };
    const gate = await serveHere(t, env);
    const { session = "" } = await send(`${gate.url}/setup`, SETUP);
    assert.ok(isSignedWith(secret, session));
    const warns = gate.stdout().includes("AUTH_SECRET is not set: using the built-in development");
    assert.equal(warns, secret === DEVELOPMENT_SECRET);
  });
}

test("writes the warning to standard error if the application has no logger", async () => {
  const index = new URL("../../src/index.ts", import.meta.url);
  const code = `import { createAuth } from ${JSON.stringify(index.href)};
    createAuth({ store: { users: {}, log: {} }, secret: undefined });`;
  const args = ["--input-type=module", "--eval", code];
  const { stderr } = await promisify(execFile)(process.execPath, args);
  assert.match(stderr, /development secret/);
});
