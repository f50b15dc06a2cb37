import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../../support/app.ts";
import { execute } from "../../support/database.ts";
import { SETUP_FORM, startConfigured, startGate } from "../../support/gate.ts";
import { inSeconds, mint } from "../../support/mint.ts";
import { BROWSER, FORWARD_AUTH } from "./forward-auth-asking.ts";

const UNKNOWN_USER_TOKEN = mint({ user_id: "unknown", exp: inSeconds(60) });

test("an application ignores a return target from the client", async (t) => {
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
