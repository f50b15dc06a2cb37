import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Answer, send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, SECRET, SETUP_FORM } from "../support/gate.ts";
import { serverOfFile } from "../support/postgres-file.ts";
import { startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await serverOfFile();

/** The ten seconds after which service managers kill a process. */
const ENDED_WITHIN_MS = 10_000;

async function startProcess(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const env = {
    DATABASE_URL: await server.newDatabase(),
    DATA_DIR: await tempDir(t),
    AUTH_SECRET: SECRET,
    ...settings,
  };
  const gate = await startServe(t, env);
  const { session } = await send(`${gate.url}/setup`, { form: SETUP_FORM });
  assert.ok(session);
  const home = (): Promise<Answer> => send(`${gate.url}/`, { session });
  /** Sends the signal, and returns the ending and its duration. */
  const end = async () => {
    const start = performance.now();
    gate.child.kill("SIGTERM");
    const { code, stderr } = await gate.ended;
    return { code, stderr, ms: performance.now() - start };
  };
  return { ...gate, home, end };
}

test("survives every database failure without an unhandled error", async (t) => {
  const gate = await startProcess(t, { SHARED_LIMITER: "on", LOG_RETENTION: "1d" });
  assert.equal((await gate.home()).status, 200);
  for (const [begin, end] of [
    [() => server.stop("fast"), server.start],
    [() => server.stop("immediate"), server.start],
    [server.freeze, server.thaw],
    [server.killConnections, async () => undefined],
  ] as const) {
    await begin();
    const asking = Array.from({ length: 20 }, () => gate.home());
    await Promise.all(asking);
    await end();
    await eventually(async () => (await gate.home()).status === 200 || undefined);
  }
  const { code, stderr } = await gate.end();
  assert.deepEqual([code, stderr], [0, ""]);
  assert.doesNotMatch(gate.stdout(), /unhandled|uncaught/i);
});

for (const [what, begin, end] of [
  ["is stopped", () => server.stop("fast"), server.start],
  ["does not answer", server.freeze, server.thaw],
] as const) {
  test(`a gate stops in time while its database ${what}, and logs the number of lost entries`, async (t) => {
    const gate = await startProcess(t);
    assert.equal((await gate.home()).status, 200);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await send(`${gate.url}/login`, { form: { ...OWNER, password: "wrong" } });
    }
    await begin();
    t.after(end);
    const denied = await send(`${gate.url}/login`, { form: OWNER });
    assert.equal(denied.location, "/login?error=1");
    const { code, stderr, ms } = await gate.end();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(gate.stdout(), /"lost":1,.*log entries lost at the end/);
    assert.ok(ms < ENDED_WITHIN_MS, `${ms} ms`);
  });
}
