import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, send } from "../support/client.ts";
import { OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";
import { gateWorkers } from "../system/gate-workers.ts";

const server = await sharedPostgres();

const PROCESSES = 3;
const ATTEMPTS = 48;

/** Of the answers to sign-ins, the number that succeeded; the others are denied alike. */
function successesIn(answers: readonly Answer[]): number {
  const seen = new Set(answers.map(({ status, location }) => `${status} ${location}`));
  for (const one of seen) assert.ok(["303 /", "303 /login?error=1"].includes(one), one);
  return answers.filter(({ location }) => location === "/").length;
}

test(`allows exactly five of ${ATTEMPTS} attempts at ${PROCESSES} processes`, async (t) => {
  const DATABASE_URL = await server.newStoreDatabase();
  const flags = { DATABASE_URL, DATA_DIR: await tempDir(t), SHARED_LIMITER: "on" };
  const urls = await gateWorkers(t, PROCESSES).start(flags);
  assert.equal((await send(`${urls[0]}/setup`, { form: SETUP_FORM })).status, 303);
  for (let round = 1; round <= 2; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: ATTEMPTS }, (_, n) =>
        send(`${urls[n % PROCESSES]}/login`, { form: OWNER, from: `127.5.0.${round}` }),
      ),
    );
    assert.equal(successesIn(answers), 5, `round ${round}`);
  }
});

async function successes(gate: RunningGate, count: number): Promise<number> {
  const answers: Answer[] = [];
  for (let n = 0; n < count; n += 1) answers.push(await gate.signIn());
  return successesIn(answers);
}

test("counts attempts of all gates, and per gate while that fails", async (t) => {
  const databaseUrl = await server.newStoreDatabase();
  const one = await startGate(t, { databaseUrl, limiter: "shared" });
  await one.setUp();
  const other = await startGate(t, { databaseUrl, limiter: "shared" });
  for (let n = 0; n < 3; n += 1) await one.signIn({ password: "wrong" });
  assert.equal(await successes(other, 4), 2);
  assert.equal(await successes(one, 1), 0);

  await runSql(databaseUrl, "ALTER TABLE latchkey_attempts RENAME TO hidden");
  assert.deepEqual([await successes(one, 8), await successes(other, 8)], [5, 5]);
  const warnings = one.serverLog.filter(({ level }) => level === "warn");
  assert.ok(warnings.some(({ msg }) => String(msg).includes("limiter")));

  await runSql(databaseUrl, "ALTER TABLE hidden RENAME TO latchkey_attempts");
  assert.equal(await successes(one, 1), 0);
});
