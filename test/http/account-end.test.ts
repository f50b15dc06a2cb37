import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { execute } from "../support/database.ts";
import { startConfigured, startGate } from "../support/gate.ts";

/** Long enough to ask both gates. */
const LEFT_MS = 2_000;

test("refuses an account at every gate from the moment at which it ends", async (t) => {
  const { gate, session } = await startConfigured(t);
  const other = await startGate(t, { dataDir: gate.dataDir });
  const endsAt = Date.now() + LEFT_MS;
  execute(gate.databaseFile, `UPDATE latchkey_users SET ends_at = ${endsAt}`);
  const untilEnd = async ({ send }: typeof gate): Promise<void> => {
    for (let sentAt = Date.now(); sentAt < endsAt; ) {
      sentAt = Date.now();
      const { status } = await send("/forward-auth", { session });
      if (sentAt >= endsAt) assert.equal(status, 401, "sent after the end");
      else if (Date.now() < endsAt) assert.equal(status, 200, "answered before the end");
      await pause(20);
    }
  };
  await Promise.all([gate, other].map(untilEnd));
  assert.equal((await other.signIn()).location, "/login?error=1");
  const me = await gate.send("/account/me", { session });
  assert.deepEqual([me.status, me.body], [401, '{"user":null}']);
});
