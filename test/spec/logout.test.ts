import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { startGate } from "../support/gate.ts";

const CLEARED = ["session=; Path=/; HttpOnly; Max-Age=-1"];

test("POST /logout clears the cookie, whoever asks, and redirects to /login", async (t) => {
  const gate = await startGate(t);
  const signOut = async (sending: Sending) => {
    const answer = await gate.send("/logout", { method: "POST", ...sending });
    const { status, location, cookies, body, headers } = answer;
    assert.deepEqual([status, location, cookies, body], [303, "/login", CLEARED, ""]);
    assert.equal(headers["clear-site-data"], '"cache"');
  };
  await signOut({ form: {} });
  const own = await gate.setUp();
  for (const session of [own, undefined, "", "nonsense"]) await signOut({ form: {}, session });
  await signOut({ headers: { "X-Forwarded-Proto": "https" } });
});
