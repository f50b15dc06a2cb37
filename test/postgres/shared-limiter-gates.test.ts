import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { failureOf } from "../support/command.ts";
import { type RunningGate, SECRET, startGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";
import { isSignedIn, raceForAttempts, titleOf } from "./limiter-race.ts";

const server = await sharedPostgres();

const ROUNDS = 2;

test(titleOf(ROUNDS), (t) => raceForAttempts(t, server, ROUNDS));

async function successes(gate: RunningGate, count: number): Promise<number> {
  const answers: Answer[] = [];
  for (let n = 0; n < count; n += 1) answers.push(await gate.signIn());
  assert.deepEqual(
    answers.filter((answer) => !isSignedIn(answer)).map(({ location }) => location),
    Array(count - answers.filter(isSignedIn).length).fill("/login?error=1"),
  );
  return answers.filter(isSignedIn).length;
}

test("counts attempts of all gates, whatever their outcome", async (t) => {
  const databaseUrl = await server.newDatabase();
  const one = await startGate(t, { databaseUrl, limiter: "shared" });
  await one.setUp();
  const other = await startGate(t, { databaseUrl, limiter: "shared" });
  for (let n = 0; n < 3; n += 1) await one.signIn({ password: "wrong" });
  assert.equal(await successes(other, 4), 2);
  assert.equal(await successes(one, 1), 0);
});

test("counts per gate without the setting", async (t) => {
  const databaseUrl = await server.newDatabase();
  const one = await startGate(t, { databaseUrl });
  await one.setUp();
  const other = await startGate(t, { databaseUrl });
  assert.deepEqual([await successes(one, 6), await successes(other, 6)], [5, 5]);
});

test("falls back to its own count while the shared one fails", async (t) => {
  const databaseUrl = await server.newDatabase();
  const one = await startGate(t, { databaseUrl, limiter: "shared" });
  await one.setUp();
  const other = await startGate(t, { databaseUrl, limiter: "shared" });
  await runSql(databaseUrl, "ALTER TABLE latchkey_attempts RENAME TO hidden");
  assert.deepEqual([await successes(one, 8), await successes(other, 8)], [5, 5]);
  const warnings = one.serverLog.filter(({ level }) => level === "warn");
  assert.ok(warnings.some(({ msg }) => String(msg).includes("limiter")));

  await runSql(databaseUrl, "ALTER TABLE hidden RENAME TO latchkey_attempts");
  assert.equal(await successes(one, 3), 3);
  assert.equal(await successes(other, 3), 2);
});

test("reports SHARED_LIMITER with SQLite in one line with exit code 2", async (t) => {
  const env = { SHARED_LIMITER: "on", DATA_DIR: await tempDir(t), AUTH_SECRET: SECRET };
  for (const DATABASE_URL of ["", "sqlite:accounts.db"]) {
    const refusal = await failureOf(["serve"], { env: { ...env, DATABASE_URL } }, 2);
    assert.equal(refusal, "SHARED_LIMITER=on requires a postgres:// URL in DATABASE_URL");
  }
});
