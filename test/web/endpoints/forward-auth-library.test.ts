import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../../support/app.ts";
import { execute } from "../../support/database.ts";
import { OWNER, SETUP_FORM, startConfigured, startGate } from "../../support/gate.ts";
import { inSeconds, mint } from "../../support/mint.ts";
import { BROWSER, FORWARD_AUTH, PAGE, TARGET } from "./forward-auth-asking.ts";

const UNKNOWN_USER_TOKEN = mint({ user_id: "unknown", exp: inSeconds(60) });

test("an application without the forward-auth option ignores a return target from the client", async (t) => {
  const app = await startApp(t);
  const form = { ...SETUP_FORM, return_to: "/page" };
  assert.doesNotMatch((await app.send("/setup?return_to=/page")).body, /return_to/);
  assert.equal((await app.send("/login?return_to=/page", { form })).location, "/setup");
  assert.equal((await app.send("/setup?return_to=/page", { form })).location, "/");
  const wrong = { ...form, password: "wrong" };
  assert.equal((await app.send("/login", { form: wrong })).location, "/login?error=1");
  assert.equal((await app.send("/login?return_to=/page", { form })).location, "/");
  assert.doesNotMatch((await app.send("/login?return_to=/page")).body, /return_to/);
});

test("with the option, serves forward auth and its sign-in pages under the base path", async (t) => {
  const app = await startApp(t, {
    basePath: "/auth",
    forwardAuth: true,
    publicUrl: "https://example.test",
    cookieDomain: "example.test",
    trustedProxies: ["127.0.0.1"],
  });
  const asked = (session?: string) => app.send("/auth/forward-auth", { headers: PAGE, session });
  assert.equal((await asked()).location, `https://example.test/auth/setup?return_to=${TARGET}`);
  const { session } = await app.send("/auth/setup", { form: SETUP_FORM });
  assert.equal((await asked()).location, `https://example.test/auth/login?return_to=${TARGET}`);
  assert.equal((await asked(session)).headers["remote-user"], "owner");
  assert.equal((await app.send("/forward-auth", { session })).status, 404);
  const wrong = { ...OWNER, password: "wrong", return_to: "/page" };
  const { location } = await app.send("/auth/login", { form: wrong });
  assert.equal(location, "/auth/login?error=1&return_to=%2Fpage");
  assert.match((await app.send(location)).body, /name="return_to" value="\/page"/);
  assert.deepEqual(
    ["/auth/forward-auth", "/forward-auth"].map((path) => app.auth.adapter.owns(path)),
    [true, false],
  );
});

test("admits neither the owner nor an unknown user when the store fails", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  await gate.stop();
  const again = await startGate(t, { ...FORWARD_AUTH, dataDir: gate.dataDir });
  execute(again.databaseFile, "ALTER TABLE users RENAME TO hidden");
  for (const token of [session, UNKNOWN_USER_TOKEN, undefined]) {
    for (const query of ["", "?deny=401"]) {
      const sending = { session: token, headers: BROWSER };
      const answer = await again.send(`/forward-auth${query}`, sending);
      assert.equal(answer.status, 500);
      assert.equal(answer.headers["remote-user"], undefined);
      assert.equal(answer.location, undefined);
      const { msg, requestId } = again.serverLog.at(-1) ?? {};
      assert.deepEqual([msg, requestId], ["request failed", answer.headers["x-request-id"]]);
    }
  }
});
