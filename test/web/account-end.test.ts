import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "../../src/core/passwords/passwords.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { openStore } from "../support/store.ts";

const PASSWORD = "correct horse";
/** Long enough to ask both gates. */
const LEFT_MS = 2_000;

test("an account that ends is refused at every gate at that moment, as if it were removed", async (t) => {
  const { gate } = await startConfigured(t);
  const other = await startGate(t, { dataDir: gate.dataDir });
  const store = await openStore(t, gate.databaseFile);
  const passwordHash = await createPasswords({ atOnce: 1, waiting: 0 }).hash(PASSWORD);
  await store.users.insert({ username: "temp", passwordHash });
  const signIn = () => other.signIn({ username: "temp", password: PASSWORD });
  const { session } = await signIn();
  const endsAt = new Date(Date.now() + LEFT_MS);
  execute(
    gate.databaseFile,
    `UPDATE users SET ends_at = ${endsAt.getTime()} WHERE username = 'temp'`,
  );
  const isRefused = async ({ send }: typeof gate) =>
    (await send("/forward-auth", { session })).status === 401 || undefined;
  for (const one of [gate, other]) assert.equal(await isRefused(one), undefined);
  await Promise.all([gate, other].map((one) => eventually(() => isRefused(one))));
  const late = Date.now() - endsAt.getTime();
  assert.ok(late >= 0 && late < 1_000, `${late} ms after the end`);
  assert.equal((await signIn()).location, "/login?error=1");
  const me = await gate.send("/account/me", { session });
  assert.deepEqual([me.status, me.body], [401, '{"user":null}']);
});
