import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, send } from "../support/client.ts";
import { countOf } from "../support/database.ts";
import { SECRET, SETUP_FORM, startGate } from "../support/gate.ts";
import { startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

async function startVictim(t: TestContext) {
  const dataDir = await tempDir(t);
  return { ...(await startServe(t, { DATA_DIR: dataDir, AUTH_SECRET: SECRET })), dataDir };
}

type Victim = Awaited<ReturnType<typeof startVictim>>;

const setUp = ({ url }: Victim): Promise<Answer> => send(`${url}/setup`, { form: SETUP_FORM });

/** Kills the process during its setup: after these milliseconds, or as soon as it answers. */
async function killDuringSetup(victim: Victim, ms?: number): Promise<Answer | undefined> {
  const answered = setUp(victim).catch(() => undefined);
  await (ms === undefined ? answered : Promise.race([answered, pause(ms)]));
  victim.child.kill("SIGKILL");
  assert.equal((await victim.ended).signal, "SIGKILL");
  return answered;
}

test("leaves no account or a usable one when killed at any moment of the setup", async (t) => {
  const first = await startVictim(t);
  const start = performance.now();
  assert.equal((await setUp(first)).status, 303);
  const whole = performance.now() - start;
  const left = new Set<number>();
  for (const ms of [0, (whole * Math.random()) / 2, whole * 0.8, undefined]) {
    const victim = await startVictim(t);
    const answer = await killDuringSetup(victim, ms);
    const { dataDir } = victim;
    const users = countOf(join(dataDir, "latchkey.db"), "latchkey_users");
    assert.ok(users === 0 || users === 1, `${users} accounts`);
    if (answer !== undefined) assert.equal(users, 1, "an answered setup is on the disk");
    left.add(users);

    const gate = await startGate(t, { dataDir });
    if (users === 0) await gate.setUp();
    assert.equal((await gate.signIn()).location, "/");
    assert.equal((await gate.signIn({ password: "another one" })).location, "/login?error=1");
    await gate.stop();
  }
  assert.deepEqual([...left].sort(), [0, 1], "some kills came before the commit and some after");
});
