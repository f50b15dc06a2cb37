import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { type Instance, insertOwner, isAdmitted, startInstance } from "./instance.ts";

const server = await sharedPostgres();

/** Well below the second after which a cached user is read again without a notification. */
const SOON_MS = 500;
/** How long guards may use a cached user without a confirmation by the database. */
const MAX_UNCONFIRMED_MS = 1_000;
/** Time for the request itself on a busy machine. */
const SLACK_MS = 400;

interface Scene {
  readonly url: string;
  readonly instance: Instance;
  readonly userId: string;
  readonly session: string;
}

async function signedIn(t: TestContext): Promise<Scene> {
  const url = await server.newDatabase();
  const instance = await startInstance(t, url);
  const userId = await insertOwner(instance.store);
  const session = mint({ user_id: userId, exp: inSeconds(3_600) });
  await eventually(() => listens(instance) >= 1 || undefined);
  assert.equal(await isAdmitted(instance, session), true);
  return { url, instance, userId, session };
}

/** How many times the watch has started to listen, which takes two statements. */
const listens = ({ asked }: Instance): number =>
  asked.filter(({ text }) => text.startsWith("LISTEN")).length / 2;

/** Lets the guard read the user, who is then cached for at least a second. */
async function lookedUp({ instance, session }: Scene): Promise<void> {
  const before = instance.questions().length;
  await eventually(async () => {
    assert.equal(await isAdmitted(instance, session), true);
    return instance.questions().length > before || undefined;
  });
}

/** Sends requests until guards have made no query for longer than an unconfirmed entry is valid. */
async function warm({ instance, session }: Scene): Promise<void> {
  let asked = instance.questions().length;
  let since = performance.now();
  await eventually(async () => {
    assert.equal(await isAdmitted(instance, session), true);
    if (instance.questions().length > asked) since = performance.now();
    asked = instance.questions().length;
    return performance.now() - since > MAX_UNCONFIRMED_MS + SLACK_MS || undefined;
  });
}

/** The time from now until the guard rejects the session. */
async function rejectedAfter({ instance, session }: Scene): Promise<number> {
  const start = performance.now();
  await eventually(async () => !(await isAdmitted(instance, session)) || undefined);
  return performance.now() - start;
}

test("makes no queries for cached users while changes are reported", async (t) => {
  const scene = await signedIn(t);
  await warm(scene);
  const before = scene.instance.questions().length;
  const until = performance.now() + 2 * MAX_UNCONFIRMED_MS;
  let admitted = 0;
  while (performance.now() < until) {
    admitted += (await isAdmitted(scene.instance, scene.session)) ? 1 : 0;
  }
  assert.ok(admitted > 100, `${admitted}`);
  assert.deepEqual(scene.instance.questions().slice(before), []);
});

for (const statement of ["DELETE FROM latchkey_users", "TRUNCATE latchkey_users CASCADE"]) {
  test(`notices ${statement} of another connection at once`, async (t) => {
    const scene = await signedIn(t);
    await runSql(scene.url, statement);
    const after = await rejectedAfter(scene);
    assert.ok(after < SOON_MS, `${after} ms`);
  });
}

test("notices a plain SQL change of the user at once", async (t) => {
  const scene = await signedIn(t);
  await runSql(scene.url, "UPDATE latchkey_users SET username = 'renamed'");
  const start = performance.now();
  await eventually(async () => {
    const { body } = await scene.instance.send("/operation", { session: scene.session });
    return body.includes("renamed") || undefined;
  });
  const after = performance.now() - start;
  assert.ok(after < SOON_MS, `${after} ms`);
});

test("looks a user up again after a password change at another instance", async (t) => {
  const scene = await signedIn(t);
  const before = scene.instance.questions().length;
  const other = await startInstance(t, scene.url);
  const user = await other.store.findUserByUsername("owner");
  assert.ok(user);
  const { id, passwordHash } = user;
  assert.equal(await other.store.replacePasswordHash(id, passwordHash, passwordHash), true);
  await eventually(async () => {
    await isAdmitted(scene.instance, scene.session);
    return scene.instance.questions().length > before || undefined;
  }, SOON_MS);
});

const WATCH = "SELECT pid FROM pg_stat_activity WHERE query ~ '^LISTEN' AND datname =";

async function watchOf({ url }: Scene): Promise<number> {
  const [row] = await server.sql(`${WATCH} '${new URL(url).pathname.slice(1)}'`);
  return Number(row?.pid);
}

/** A removal is noticed within a second without the watch, and at once when it is back. */
async function assertRecovers(scene: Scene, breakAndRemove: () => Promise<unknown>): Promise<void> {
  await warm(scene);
  await runSql(scene.url, "CREATE TABLE kept AS SELECT * FROM latchkey_users");
  await breakAndRemove();
  const after = await rejectedAfter(scene);
  assert.ok(after < MAX_UNCONFIRMED_MS + SLACK_MS, `${after} ms`);

  await runSql(scene.url, "INSERT INTO latchkey_users SELECT * FROM kept");
  await eventually(() => listens(scene.instance) >= 2 || undefined);
  await lookedUp(scene);
  await runSql(scene.url, REMOVE);
  const later = await rejectedAfter(scene);
  assert.ok(later < SOON_MS, `${later} ms`);
}

const REMOVE = "DELETE FROM latchkey_users";

test("rejects a removed user within a second while the watch's connection is blocked, at once afterwards", async (t) => {
  const scene = await signedIn(t);
  await assertRecovers(scene, async () => {
    const pid = await watchOf(scene);
    process.kill(pid, "SIGSTOP");
    t.after(() => process.kill(pid, "SIGCONT"));
    await runSql(scene.url, REMOVE);
  });
});

test("notices a change while the watch's connection is down, and reconnects", async (t) => {
  const scene = await signedIn(t);
  await assertRecovers(scene, async () =>
    runSql(scene.url, `SELECT pg_terminate_backend(${await watchOf(scene)}, 5000); ${REMOVE}`),
  );
});

test("sends no query while idle", async (t) => {
  const { instance } = await signedIn(t);
  const silence = 2 * MAX_UNCONFIRMED_MS;
  await eventually(() => {
    const last = instance.asked.at(-1)?.at ?? Number.POSITIVE_INFINITY;
    return performance.now() - last > silence || undefined;
  });
});
