import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { outputOf } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { startConfigured } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const server = await sharedPostgres();

/** Well below the second after which a cached user is read again without a notification. */
const SOON_MS = 500;
/** How long guards may use a cached user without a confirmation by the database. */
const MAX_UNCONFIRMED_MS = 1_000;
/** Time for the request itself on a busy machine. */
const SLACK_MS = 400;

const REMOVE = "DELETE FROM latchkey_users";

async function signedIn(t: TestContext) {
  const url = await server.newStoreDatabase();
  const scene = { url, ...(await startConfigured(t, { databaseUrl: url })) };
  await watchOf(scene);
  await warm(() => isAdmitted(scene));
  return scene;
}

type Scene = Awaited<ReturnType<typeof signedIn>>;

/** The server process that notifies the gate, once it listens; not the one of before. */
function watchOf({ url }: Scene, before?: number): Promise<number> {
  const database = new URL(url).pathname.slice(1);
  return eventually(async () => {
    const rows = await server.sql(
      `SELECT pid FROM pg_stat_activity WHERE query ~ '^LISTEN' AND datname = '${database}'`,
    );
    return rows.map(({ pid }) => Number(pid)).find((pid) => pid !== before);
  });
}

async function isAdmitted({ gate, session }: Scene): Promise<boolean> {
  const { status } = await gate.send("/forward-auth", { session });
  assert.ok(status === 200 || status === 401, `the guard answers ${status}`);
  return status === 200;
}

/** Asks, well within that time each, for longer than a cached user is valid without a confirmation. */
async function warm(isAdmittedNow: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + MAX_UNCONFIRMED_MS + SLACK_MS;
  while (performance.now() < until) {
    assert.equal(await isAdmittedNow(), true);
    await pause(50);
  }
}

/** The time from now until the guard rejects the session. */
async function rejectedAfter(scene: Scene): Promise<number> {
  const start = performance.now();
  await eventually(async () => !(await isAdmitted(scene)) || undefined);
  return performance.now() - start;
}

for (const statement of [REMOVE, "TRUNCATE latchkey_users CASCADE"]) {
  test(`notices ${statement} of another connection at once`, async (t) => {
    const scene = await signedIn(t);
    await runSql(scene.url, statement);
    const after = await rejectedAfter(scene);
    assert.ok(after < SOON_MS, `${after} ms`);
  });
}

test("notices a key that another connection has revoked at once", async (t) => {
  const scene = await signedIn(t);
  const env = { DATABASE_URL: scene.url };
  const key = await outputOf(["key", "add", "a", "--user", "owner"], { env });
  const headers = { Authorization: `Bearer ${key.trim()}` };
  const status = async () => (await scene.gate.send("/forward-auth", { headers })).status;
  await warm(async () => (await status()) === 200);
  await runSql(scene.url, "DELETE FROM latchkey_keys");
  const start = performance.now();
  await eventually(async () => (await status()) === 401 || undefined);
  assert.ok(performance.now() - start < SOON_MS);
});

for (const [what, breakWatch] of [
  [
    "is blocked",
    async (t: TestContext, pid: number) => {
      process.kill(pid, "SIGSTOP");
      t.after(() => process.kill(pid, "SIGCONT"));
    },
  ],
  [
    "is down",
    (_: TestContext, pid: number) => server.sql(`SELECT pg_terminate_backend(${pid}, 5000)`),
  ],
] as const) {
  test(`rejects a removed user within a second while the watch's connection ${what}, at once afterwards`, async (t) => {
    const scene = await signedIn(t);
    await runSql(scene.url, "CREATE TABLE kept AS SELECT * FROM latchkey_users");
    const broken = await watchOf(scene);
    await breakWatch(t, broken);
    await runSql(scene.url, REMOVE);
    const after = await rejectedAfter(scene);
    assert.ok(after < MAX_UNCONFIRMED_MS + SLACK_MS, `${after} ms`);

    await runSql(scene.url, "INSERT INTO latchkey_users SELECT * FROM kept");
    await watchOf(scene, broken);
    await eventually(async () => (await isAdmitted(scene)) || undefined);
    await warm(() => isAdmitted(scene));
    await runSql(scene.url, REMOVE);
    const later = await rejectedAfter(scene);
    assert.ok(later < SOON_MS, `${later} ms`);
  });
}
