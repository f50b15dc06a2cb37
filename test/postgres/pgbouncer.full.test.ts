import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { checkDatabase } from "../../src/doctor/database.ts";
import { assertFound, findings } from "../doctor/installation.ts";
import { whereInstalled } from "../proxies/program.ts";
import type { Answer } from "../support/client.ts";
import { outputOf } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { changeForm, OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { begunIn, codeShown } from "../support/one-time-codes.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { type PoolMode, startPgBouncer } from "./pgbouncer.ts";

const server = await sharedPostgres();

const NEW_PASSWORD = "battery staple";
/** How long guards may use a cached user without a confirmation by the database. */
const MAX_UNCONFIRMED_MS = 1_000;
const SOON_MS = 500;
/** Time for the requests themselves on a busy machine. */
const SLACK_MS = 400;

interface Pooled {
  readonly direct: string;
  readonly pooled: string;
  readonly one: RunningGate;
  readonly other: RunningGate;
  readonly session: string;
}

async function pooledUrls(
  t: TestContext,
  program: string,
  mode: PoolMode,
): Promise<Pick<Pooled, "direct" | "pooled">> {
  const direct = await server.newDatabase();
  return { direct, pooled: await startPgBouncer(t, program, direct, mode) };
}

/** Two gates with one account that share a database through PgBouncer. */
async function startPooled(t: TestContext, program: string, mode: PoolMode): Promise<Pooled> {
  const urls = await pooledUrls(t, program, mode);
  const settings = { databaseUrl: urls.pooled, limiter: "shared" } as const;
  const one = await startGate(t, settings);
  const other = await startGate(t, settings);
  return { ...urls, one, other, session: await one.setUp() };
}

const locationsOf = (answers: readonly Answer[]): readonly string[] =>
  answers.map(({ status, location }) => `${status} ${location}`);

/** Sends several guarded requests at once to both gates, so that connections change servers. */
async function guards({ one, other, session }: Pooled): Promise<ReadonlySet<number>> {
  const gates = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? one : other));
  const answers = await Promise.all(gates.map((gate) => gate.send("/forward-auth", { session })));
  return new Set(answers.map(({ status }) => status));
}

/** The time until both gates reject the session of a user who is removed by plain SQL. */
async function rejectedAfter(pooled: Pooled): Promise<number> {
  // Time enough to be remembered for longer than a second.
  for (let n = 0; n < 20; n += 1) {
    assert.deepEqual(await guards(pooled), new Set([200]));
    await pause(100);
  }
  await runSql(pooled.direct, "DELETE FROM latchkey_users");
  const start = performance.now();
  await eventually(async () => {
    const seen = await guards(pooled);
    return (seen.has(401) && seen.size === 1) || undefined;
  }, 5 * MAX_UNCONFIRMED_MS);
  return performance.now() - start;
}

const SIGNED_IN = ["303 /"];
const REFUSED = ["303 /login?error=1"];

async function changePassword({ other, session }: Pooled): Promise<void> {
  const form = changeForm(OWNER.password, NEW_PASSWORD);
  const changed = await other.send("/account/password", { session, form });
  assert.deepEqual(locationsOf([changed]), SIGNED_IN);
}

async function turnCodesOn({ one, session }: Pooled): Promise<string> {
  const password = { codes_password: NEW_PASSWORD };
  const begun = await one.send("/account/codes/begin", { session, form: password });
  const { key, sealed } = begunIn(begun.body);
  const form = { sealed, code: codeShown(key) };
  assert.equal((await one.send("/account/codes/confirm", { session, form })).status, 200);
  return key;
}

whereInstalled("pgbouncer", (pgbouncer) => {
  test("sets up, signs in, changes the password and turns codes on in transaction mode", async (t) => {
    const pooled = await startPooled(t, pgbouncer, "transaction");
    const { one, other } = pooled;
    assert.deepEqual(locationsOf([await other.send("/setup")]), ["303 /login"]);
    for (let n = 0; n < 5; n += 1) assert.deepEqual(await guards(pooled), new Set([200]));

    await changePassword(pooled);
    assert.deepEqual(locationsOf([await one.signIn()]), REFUSED);
    const renewed = await one.signIn({ password: NEW_PASSWORD });
    assert.deepEqual(locationsOf([renewed]), SIGNED_IN);
    assert.equal((await other.send("/", { session: renewed.session })).status, 200);

    const key = await turnCodesOn(pooled);
    const password = NEW_PASSWORD;
    assert.deepEqual(locationsOf([await other.signIn({ password })]), REFUSED);
    const withCode = await other.signIn({ password, code: codeShown(key, 1) });
    assert.deepEqual(locationsOf([withCode]), SIGNED_IN);

    const types = (await one.logEntries(5)).map(({ type }) => type);
    assert.deepEqual(types.slice(0, 2), ["signup", "password_change"]);
    for (const gate of [one, other]) {
      const failures = gate.serverLog.filter(({ level }) => level === "error");
      assert.deepEqual(failures, []);
    }
  });

  test("allows five sign-ins in total across gates in transaction mode", async (t) => {
    const { one, other } = await startPooled(t, pgbouncer, "transaction");
    const gates = Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? one : other));
    const answers = await Promise.all(gates.map((gate) => gate.signIn()));
    assert.equal(answers.filter(({ location }) => location === "/").length, 5);
    assert.deepEqual(new Set(locationsOf(answers)), new Set([...SIGNED_IN, ...REFUSED]));
  });

  test("copies accounts and the log in transaction mode", async (t) => {
    const pooled = await startPooled(t, pgbouncer, "transaction");
    await pooled.one.logEntries(1);
    await Promise.all([pooled.one.stop(), pooled.other.stop()]);
    const to = await pooledUrls(t, pgbouncer, "transaction");
    const args = ["copy", "--from", pooled.pooled, "--to", to.pooled];
    await outputOf(args);
    const copied = await startGate(t, { databaseUrl: to.pooled });
    assert.deepEqual(locationsOf([await copied.signIn()]), SIGNED_IN);
    assert.equal((await copied.send("/forward-auth", { session: pooled.session })).status, 200);
  });

  test("rejects a removed user within a second in transaction mode", async (t) => {
    const after = await rejectedAfter(await startPooled(t, pgbouncer, "transaction"));
    t.diagnostic(`${after.toFixed(0)} ms`);
    assert.ok(after < MAX_UNCONFIRMED_MS + SLACK_MS, `${after} ms`);
  });

  test("rejects a removed user at once in session mode", async (t) => {
    const after = await rejectedAfter(await startPooled(t, pgbouncer, "session"));
    t.diagnostic(`${after.toFixed(0)} ms`);
    assert.ok(after < SOON_MS, `${after} ms`);
  });

  test("latchkey doctor reports lost notifications in transaction mode only", async (t) => {
    const look = async (mode: PoolMode) => {
      const { pooled } = await pooledUrls(t, pgbouncer, mode);
      return findings(checkDatabase, { env: { DATABASE_URL: pooled } });
    };
    assertFound(await look("session"), ["ok", /is the primary/]);
    assertFound(await look("transaction"), [
      "hint",
      /delivers no notifications, .* within a second instead of at once/,
      /session mode/,
    ]);
  });
});
