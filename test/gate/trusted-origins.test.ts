import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { OWNER, startGate } from "../support/gate.ts";

const APP = "https://app.example.test";

test("pages of a trusted origin can sign out and change the password, those of others cannot", async (t) => {
  const gate = await startGate(t, {
    publicUrl: "https://auth.example.test",
    cookieDomain: "example.test",
    trustedOrigins: [APP],
  });
  const session = await gate.setUp();
  const post = (path: string, origin: string, form = {}): Promise<Answer> =>
    gate.send(path, {
      session,
      form,
      headers: { Host: "auth.example.test", Origin: origin, "Sec-Fetch-Site": "same-site" },
    });
  const change = {
    current_password: OWNER.password,
    new_password: "a new one",
    confirm_password: "a new one",
  };
  const others = ["https://other.example.test", "http://app.example.test", `${APP}:8443`, "null"];
  for (const origin of others) {
    assert.equal((await post("/logout", origin)).status, 403, origin);
    assert.equal((await post("/account/password", origin, change)).status, 403, origin);
  }
  const changed = await post("/account/password", APP, change);
  assert.deepEqual([changed.status, changed.location], [303, "/"]);
  assert.equal((await gate.signIn({ password: "a new one" })).location, "/");
  const out = await post("/logout", APP);
  assert.deepEqual([out.status, out.location, out.session], [303, "/login", ""]);
});
