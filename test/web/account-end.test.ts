import assert from "node:assert/strict";
import { test } from "node:test";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startConfigured, startGate } from "../support/gate.ts";

/** Long enough to ask both gates. */
const LEFT_MS = 2_000;

test("an account that ends is refused at every gate at that moment, as if it were removed", async (t) => {
  const { gate, session } = await startConfigured(t);
  const other = await startGate(t, { dataDir: gate.dataDir });
  const endsAt = new Date(Date.now() + LEFT_MS);
  execute(gate.databaseFile, `UPDATE latchkey_users SET ends_at = ${endsAt.getTime()}`);
  const isRefused = async ({ send }: typeof gate) =>
    (await send("/forward-auth", { session })).status === 401 || undefined;
  for (const one of [gate, other]) assert.equal(await isRefused(one), undefined);
  await Promise.all([gate, other].map((one) => eventually(() => isRefused(one))));
  const late = Date.now() - endsAt.getTime();
  assert.ok(late >= 0 && late < 1_000, `${late} ms after the end`);
  assert.equal((await other.signIn()).location, "/login?error=1");
  const me = await gate.send("/account/me", { session });
  assert.deepEqual([me.status, me.body], [401, '{"user":null}']);
});
