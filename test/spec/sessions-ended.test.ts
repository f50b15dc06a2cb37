import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { parseDatabaseLocation } from "../../src/db/location.ts";
import { endAllSessions } from "../../src/features/people/accounts.ts";
import { openStore } from "../../src/gate/open-store.ts";
import { NO_CACHE } from "../../src/identity/credential-cache.ts";
import { startApp } from "../support/app.ts";
import { outputOf } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { inSeconds, mint, partsOf } from "../support/mint.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { hashText, openStore as openEmptyStore } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await sharedPostgres();
const stores: Readonly<Record<string, () => Promise<string | undefined>>> = {
  SQLite: async () => undefined,
  PostgreSQL: () => server.newStoreDatabase(),
};

/** Two instances over one database, another connection to it, and sessions of two accounts. */
async function twoInstances(t: TestContext, databaseUrl: string | undefined) {
  const dataDir = await tempDir(t);
  const settings = { dataDir, databaseUrl };
  const gates = [await startGate(t, settings), await startGate(t, settings)] as const;
  const owner = await gates[0].setUp();
  const name = databaseUrl ?? `sqlite:${gates[0].databaseFile}`;
  const store = await openStore({ database: parseDatabaseLocation(name) }, "refuse");
  t.after(() => store.close());
  const user = await store.users.insert({ username: "guest", passwordHash: hashText("a hash") });
  const guest = mint({ user_id: user?.id, iat: inSeconds(-60), exp: inSeconds(3_600) });
  const env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const scene = { gates, env, store, owner, guest };
  for (const session of [owner, guest]) assert.deepEqual(await admitted(scene, session), BOTH);
  return scene;
}

type Scene = Awaited<ReturnType<typeof twoInstances>>;

const BOTH = [true, true];

/** For each gate, whether it admits the session. */
function admitted({ gates }: Scene, session: string | undefined): Promise<readonly boolean[]> {
  return Promise.all(
    gates.map(async (gate) => {
      const { status, location } = await gate.send("/account/profile", { session });
      if (status === 200) return true;
      assert.deepEqual([status, location], [303, "/login"]);
      return false;
    }),
  );
}

/** Waits until both gates have read again what they remember for a second. */
async function untilRejected(scene: Scene, session: string): Promise<void> {
  await eventually(async () => !(await admitted(scene, session)).includes(true) || undefined);
}

/** Runs the rule as the command does, without the start-up time of a process. */
const portsOf = ({ store }: Scene) => ({
  store,
  clock: Date,
  credentialCache: NO_CACHE,
  record: async () => {},
});

const run = ({ env }: Scene, ...args: readonly string[]) => outputOf(args, { env });

for (const [kind, url] of Object.entries(stores)) {
  test(`${kind}: user sign-out ends the sessions of one account at every instance`, async (t) => {
    const scene = await twoInstances(t, await url());
    await run(scene, "user", "sign-out", "owner");
    await untilRejected(scene, scene.owner);
    assert.deepEqual(await admitted(scene, scene.guest), BOTH);
  });

  test(`${kind}: a session ended at one instance ends at every instance`, async (t) => {
    const scene = await twoInstances(t, await url());
    const [one, other] = scene.gates;
    const { session = "" } = await other.signIn();
    const form = { session: String(partsOf(session).claims.jti) };
    await eventually(async () => !(await admitted(scene, session)).includes(false) || undefined);
    await one.send("/account/sessions/end", { session: scene.owner, form });
    await untilRejected(scene, session);
    assert.deepEqual(await admitted(scene, scene.owner), BOTH);
    assert.deepEqual(await admitted(scene, scene.guest), BOTH);
  });

  test(`${kind}: a sign-in right after user sign-out stays valid`, async (t) => {
    const scene = await twoInstances(t, await url());
    // Early in a second, so that all steps happen within it.
    await eventually(() => Date.now() % 1_000 < 300 || undefined);
    await endAllSessions(portsOf(scene));
    const { session, location } = await scene.gates[0].signIn();
    assert.equal(location, "/");
    assert.ok(session);
    const { iat, exp } = partsOf(session).claims;
    assert.ok(Number(iat) <= inSeconds(0), "other readers of the token reject one from the future");
    assert.equal(Number(exp) - Number(iat), 2_592_000);
    await untilRejected(scene, scene.owner);
    assert.deepEqual(await admitted(scene, session), BOTH);
    await eventually(() => inSeconds(0) > Number(iat) || undefined);
    assert.deepEqual(await admitted(scene, session), BOTH);
  });

  test(`${kind}: a new username ends no session and reaches all guards`, async (t) => {
    const scene = await twoInstances(t, await url());
    await run(scene, "user", "rename", OWNER.username, "host");
    for (const gate of scene.gates) {
      await eventually(async () => {
        const { status, body } = await gate.send("/account/profile", { session: scene.owner });
        assert.equal(status, 200);
        return body.includes("Signed in as host") || undefined;
      });
    }
  });

  test(`${kind}: removing an account ends its sessions, not the setup`, async (t) => {
    const scene = await twoInstances(t, await url());
    await run(scene, "user", "remove", "owner", "--yes");
    await untilRejected(scene, scene.owner);
    assert.deepEqual(await admitted(scene, scene.guest), BOTH);
    for (const gate of scene.gates) {
      assert.equal((await gate.send("/setup")).location, "/login");
    }
  });
}

test("a session may end between its guard and its page", async (t) => {
  const store = await openEmptyStore(t);
  const { newest } = store.log;
  t.mock.method(store.log, "newest", async (...asked: Parameters<typeof newest>) => {
    await store.users.endAllSessions(inSeconds(1));
    return newest(...asked);
  });
  const app = await startApp(t, { store });
  const user = await store.users.insert({ username: "owner", passwordHash: hashText("a hash") });
  const session = mint({ user_id: user?.id, iat: inSeconds(-60), exp: inSeconds(3_600) });
  const { status } = await app.send("/account/history", { session });
  assert.ok(status === 200 || status === 303, `${status}`);
  await eventually(
    async () =>
      (await app.send("/account/history", { session })).location === "/login" || undefined,
  );
});
