import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, type Sending, send } from "../support/client.ts";
import { countOf } from "../support/database.ts";
import { changeForm, OWNER, SECRET, startGate } from "../support/gate.ts";
import { startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

interface Attempt {
  readonly path: string;
  readonly sending: Sending;
}

type Victim = Awaited<ReturnType<typeof startServe>>;

const startVictim = (t: TestContext, dataDir: string): Promise<Victim> =>
  startServe(t, { DATA_DIR: dataDir, AUTH_SECRET: SECRET });

/** The duration of the attempt in a newly started process, as every victim is. */
async function duration(victim: Victim, { path, sending }: Attempt): Promise<number> {
  const start = performance.now();
  assert.equal((await send(`${victim.url}${path}`, sending)).status, 303);
  const passed = performance.now() - start;
  victim.child.kill("SIGKILL");
  await victim.ended;
  return passed;
}

/** In milliseconds after the attempt was sent. */
type Moment = number | "after the answer";

/** Kills the process at that moment, or as soon as it answers. */
async function killDuring(
  victim: Victim,
  { path, sending }: Attempt,
  moment: Moment,
): Promise<Answer | undefined> {
  const answered = send(`${victim.url}${path}`, sending).catch(() => undefined);
  await (moment === "after the answer" ? answered : Promise.race([answered, pause(moment)]));
  victim.child.kill("SIGKILL");
  assert.equal((await victim.ended).signal, "SIGKILL");
  return answered;
}

/** From the start to the response; in between, a random moment in each slice of the duration. */
const moments = (wholeMs: number, kills: number): readonly Moment[] => [
  0,
  ...Array.from({ length: kills - 2 }, (_, n) => (wholeMs * 1.2 * (n + Math.random())) / kills),
  "after the answer",
];

/** How often the duration is measured before the kills, which are spread over it. */
const measurements = (kills: number): number => (kills < 10 ? 1 : 3);

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Kills a gate this many times during the setup: it leaves no account or a usable one. */
export async function killDuringSetup(t: TestContext, kills: number): Promise<void> {
  const attempt = { path: "/setup", sending: { form: { ...OWNER, confirm: OWNER.password } } };
  const start = async () => {
    const dataDir = await tempDir(t);
    return { dataDir, victim: await startVictim(t, dataDir) };
  };
  const measured: number[] = [];
  for (let n = 0; n < measurements(kills); n += 1) {
    measured.push(await duration((await start()).victim, attempt));
  }

  const left: number[] = [];
  let next = start();
  for (const moment of moments(median(measured), kills)) {
    const { dataDir, victim } = await next;
    const answer = await killDuring(victim, attempt, moment);
    next = start();

    const users = countOf(join(dataDir, "latchkey.db"), "users");
    assert.ok(users === 0 || users === 1, `${users} accounts`);
    if (answer !== undefined) assert.equal(users, 1, "an answered setup is on the disk");
    left.push(users);

    const gate = await startGate(t, { dataDir });
    if (users === 0) await gate.setUp();
    assert.equal((await gate.signIn()).location, "/");
    assert.equal((await gate.signIn({ password: "another one" })).location, "/login?error=1");
    await gate.stop();
  }
  await next;
  assert.deepEqual(
    new Set(left),
    new Set([0, 1]),
    "some kills came before the commit and some after",
  );
}

/** Kills a gate this many times during a change: it leaves the old or the new password. */
export async function killDuringChange(t: TestContext, kills: number): Promise<void> {
  const dataDir = await tempDir(t);
  let gate = await startGate(t, { dataDir });
  const session = await gate.setUp();
  await gate.stop();
  const change = (from: string, to: string): Attempt => ({
    path: "/account/password",
    sending: { session, form: changeForm(from, to) },
  });
  let current: string = OWNER.password;
  const measured: number[] = [];
  for (let n = 0; n < measurements(kills); n += 1) {
    const to = `measured password ${n}`;
    measured.push(await duration(await startVictim(t, dataDir), change(current, to)));
    current = to;
  }

  const changes: boolean[] = [];
  let next = startVictim(t, dataDir);
  for (const moment of moments(median(measured), kills)) {
    const victim = await next;
    const wanted = `password number ${changes.length}`;
    const answer = await killDuring(victim, change(current, wanted), moment);
    next = startVictim(t, dataDir);

    gate = await startGate(t, { dataDir });
    const works = async (password: string) => (await gate.signIn({ password })).location === "/";
    const [old, changed] = [await works(current), await works(wanted)];
    assert.notEqual(old, changed, old ? "both work" : "neither works");
    if (answer !== undefined) assert.ok(changed, "an answered change is on the disk");
    assert.equal((await gate.send("/", { session })).status, 200, "the session stays valid");
    await gate.stop();
    changes.push(changed);
    if (changed) current = wanted;
  }
  await next;
  assert.deepEqual(
    new Set(changes),
    new Set([true, false]),
    "some kills came before the commit and some after",
  );
}
