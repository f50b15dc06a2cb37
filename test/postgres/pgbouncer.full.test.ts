import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { startProgram, whereInstalled } from "../proxies/program.ts";
import { freePort } from "../support/free-port.ts";
import { changeForm, OWNER, startGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const server = await sharedPostgres();

const NEW_PASSWORD = "battery staple";
/** How long guards may use a cached user without a confirmation by the database. */
const MAX_UNCONFIRMED_MS = 1_000;
/** Time for the requests themselves on a busy machine. */
const SLACK_MS = 400;

/** Starts PgBouncer in front of the server, in transaction mode, and returns the URL through it. */
async function startPgBouncer(
  t: TestContext,
  program: string,
  databaseUrl: string,
): Promise<string> {
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl);
  const port = await freePort();
  await startProgram(t, program, {
    configuration: `
[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
ignore_startup_parameters = statement_timeout
`,
    // It refuses to run as root.
    args: (file) => [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file],
    address: { host: "127.0.0.1", port },
  });
  return `postgres://${username}@127.0.0.1:${port}${pathname}`;
}

/** Two gates with one account that share a database through PgBouncer in transaction mode. */
async function startPooled(t: TestContext, program: string) {
  const direct = await server.newDatabase();
  const databaseUrl = await startPgBouncer(t, program, direct);
  const settings = { databaseUrl, limiter: "shared" } as const;
  const one = await startGate(t, settings);
  const other = await startGate(t, settings);
  return { direct, one, other, session: await one.setUp() };
}

type Pooled = Awaited<ReturnType<typeof startPooled>>;

/** Sends several guarded requests at once to both gates, so that connections change servers. */
async function guards({ one, other, session }: Pooled): Promise<ReadonlySet<number>> {
  const gates = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? one : other));
  const answers = await Promise.all(gates.map((gate) => gate.send("/forward-auth", { session })));
  return new Set(answers.map(({ status }) => status));
}

whereInstalled("pgbouncer", (pgbouncer) => {
  test("sets up, signs in and limits sign-ins in transaction mode", async (t) => {
    const pooled = await startPooled(t, pgbouncer);
    const { one, other, session } = pooled;
    assert.equal((await other.send("/setup")).location, "/login");
    for (let n = 0; n < 5; n += 1) assert.deepEqual(await guards(pooled), new Set([200]));

    const form = changeForm(OWNER.password, NEW_PASSWORD);
    const changed = await other.send("/account/password", { session, form });
    assert.equal(changed.location, "/");
    assert.equal((await one.signIn()).location, "/login?error=1");

    const gates = Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? one : other));
    const answers = await Promise.all(gates.map((gate) => gate.signIn({ password: NEW_PASSWORD })));
    const signedIn = answers.filter(({ location }) => location === "/");
    assert.equal(signedIn.length, 4, "five in total");
    assert.equal(
      (await other.send("/account/profile", { session: signedIn[0]?.session })).status,
      200,
    );

    const types = (await one.logEntries(5)).map(({ type }) => type);
    assert.deepEqual(types.slice(0, 2), ["signup", "password_change"]);
    for (const { serverLog } of [one, other]) {
      const errors = serverLog.filter(({ level }) => level === "error");
      assert.deepEqual(errors, []);
    }
  });

  test("rejects a removed user within a second in transaction mode", async (t) => {
    const pooled = await startPooled(t, pgbouncer);
    // Time enough to be remembered for longer than a second.
    for (let n = 0; n < 20; n += 1) {
      assert.deepEqual(await guards(pooled), new Set([200]));
      await pause(100);
    }
    await runSql(pooled.direct, "DELETE FROM latchkey_users");
    await pause(MAX_UNCONFIRMED_MS + SLACK_MS);
    assert.deepEqual(await guards(pooled), new Set([401]));
  });
});
