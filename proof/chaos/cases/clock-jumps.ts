import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { inSeconds, mint, partsOf } from "../../../test/support/mint.ts";
import type { GuardedFolder } from "../../../test/support/postgres-folder.ts";
import { type Case, type Stage, unless } from "../case.ts";
import { environmentOf, type Gate, preloads } from "../gate.ts";
import { addresses, guarded, isSignedIn, setUp, signIn } from "../visits.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
const HOUR_MS = 3_600_000;
const HOUR_SECONDS = 3_600;
/** A user is remembered for so long at most; only then the clock is looked at again. */
const SEEN_WITHIN_MS = 4_000;
const WINDOW_MS = 62_000;

const jumps = { forward: HOUR_MS, back: -HOUR_MS } as const;

/** How far the clock is off when sessions are issued, and when they are ended. */
const signOuts = [
  { issued: 0, ended: HOUR_MS, told: "after a jump ahead" },
  { issued: 0, ended: -HOUR_MS, told: "after a jump back" },
  { issued: HOUR_MS, ended: 0, told: "once a clock that was ahead is right again" },
  { issued: -HOUR_MS, ended: 0, told: "once a clock that was behind is right again" },
] as const;

export const clockJumps: Case = {
  name: "clock-jumps",
  about: "the clock on the wall jumps by an hour, forward and back",
  seconds: { short: 14, full: 80 },
  pace: "waits",
  async run(stage, form) {
    const names = Object.entries(jumps);
    const until = form === "full" ? "until it opens" : "shut";
    // Side by side: each has a gate of its own, and mostly waits.
    await Promise.all([
      ...names.map(([name, ms]) => sessions(stage, name, ms)),
      ...names.map(([name, ms]) => limiter(stage, name, ms, until)),
      ...signOuts.map((way) => signOut(stage, way)),
      renewal(stage),
    ]);
  },
};

const jump = (gate: Gate, shiftMs: number): Promise<unknown> => gate.askInside({ shiftMs });

const opens = async (gate: Gate, session: string): Promise<boolean> =>
  (await guarded(gate, session)).status === 200;

async function gateWithClock(
  stage: Stage,
): Promise<{ gate: Gate; folder: GuardedFolder; session: string }> {
  const folder = await stage.folder();
  const gate = await stage.startGate(folder, { inside: ["clock"] });
  return { gate, folder, session: await setUp(gate) };
}

/** Sessions that are remembered when the clock jumps, and ones that are not. */
async function sessions(stage: Stage, name: string, ms: number): Promise<void> {
  const { gate, session } = await gateWithClock(stage);
  const { user_id } = partsOf(session).claims;
  const lasting = (seconds: number): string =>
    mint({ user_id, exp: inSeconds(seconds), iat: inSeconds(0) });
  const [short, long] = [lasting(HOUR_SECONDS / 2), lasting(HOUR_SECONDS * 2)];
  for (const one of [session, short, long]) await opens(gate, one);
  await jump(gate, ms);
  const shortOpens = ms < 0;
  await eventually(
    async () => (await opens(gate, short)) === shortOpens || undefined,
    SEEN_WITHIN_MS,
  ).catch(() => undefined);
  const entered = await signIn(gate, OWNER.password, "10.0.0.1");
  stage.promise(`with the clock an hour ${name}, sessions last until their own end`, [
    ...unless(await opens(gate, session), "the session of 30 days is over"),
    ...unless(await opens(gate, long), "the session of two hours is over"),
    ...unless((await opens(gate, short)) === shortOpens, "the session of half an hour"),
    ...unless((await opens(gate, lasting(HOUR_SECONDS / 2))) === shortOpens, "one never seen"),
    ...unless(isSignedIn(entered) && (await opens(gate, entered.session ?? "")), "a new session"),
  ]);
  await jump(gate, 0);
  stage.promise(`with the clock right again after an hour ${name}, no session is lost`, [
    ...unless(await opens(gate, session), "the session of 30 days is over"),
    ...unless(await opens(gate, entered.session ?? ""), "the one issued meanwhile is over"),
  ]);
}

/** Ends the sessions that were issued before, by the clock as it stood then and stands now. */
async function signOut(
  stage: Stage,
  { issued, ended, told }: { issued: number; ended: number; told: string },
): Promise<void> {
  const { gate, folder } = await gateWithClock(stage);
  const enter = async (address: string): Promise<string> =>
    (await signIn(gate, OWNER.password, address)).session ?? "";
  await jump(gate, issued);
  const before = await enter("10.0.0.1");
  await jump(gate, ended);
  const since = await enter("10.0.0.2");
  await command(folder, ["user", "sign-out", OWNER.username], ended);
  const over = (session: string): Promise<boolean> =>
    eventually(async () => !(await opens(gate, session)) || undefined, SEEN_WITHIN_MS).catch(
      () => false,
    );
  const after = await enter("10.0.0.3");
  if (issued > ended) {
    // Times are all that a sign-out has to go by: a session from a later time counts as a later one.
    stage.figure(`user sign-out ${told}: sessions that go on`, (await over(before)) ? "0" : "1");
    stage.promise(
      `user sign-out lets people in again, ${told}`,
      unless(await opens(gate, after), "a sign-in afterwards does not count"),
    );
    return;
  }
  stage.promise(`user sign-out ends the sessions of before, ${told}`, [
    ...unless(await over(before), "one from before the jump still counts"),
    ...unless(await over(since), "one from after the jump still counts"),
    ...unless(await opens(gate, after), "a sign-in afterwards does not count"),
  ]);
}

const command = (
  folder: GuardedFolder,
  args: readonly string[],
  shiftMs: number,
  settings: Readonly<Record<string, string>> = {},
) =>
  promisify(execFile)(process.execPath, [...preloads(["clock"]), "--", MAIN, ...args], {
    env: { ...environmentOf(folder, settings), CHAOS_SHIFT_MS: String(shiftMs) },
  });

/** It goes by the monotonic clock: a jump neither opens it nor keeps it shut. */
async function limiter(
  stage: Stage,
  name: string,
  ms: number,
  until: "shut" | "until it opens",
): Promise<void> {
  const { gate } = await gateWithClock(stage);
  const [address] = addresses(1);
  const attempt = () => signIn(gate, OWNER.password, String(address));
  const start = performance.now();
  for (let count = 0; count < 5; count += 1) await attempt();
  await jump(gate, ms);
  const jumped = [await attempt(), await signIn(gate, OWNER.password, "10.9.9.9")];
  stage.promise(`a jump ${name} neither opens the limit nor shuts it`, [
    ...unless(!jumped.slice(0, 1).some(isSignedIn), "a sixth attempt within the minute is let in"),
    ...unless(jumped.slice(1).every(isSignedIn), "another address is denied"),
  ]);
  if (until === "shut") return;
  await eventually(() => performance.now() - start > WINDOW_MS || undefined, WINDOW_MS * 2);
  stage.promise(
    `a minute after a jump ${name} the limit is open again`,
    unless(isSignedIn(await attempt()), "it is not"),
  );
}

/** Nobody is there to give a certificate: how often is that one asked? */
async function renewal(stage: Stage): Promise<void> {
  const folder = await stage.folder();
  const settings = { HTTPS_PORT: "0", ACME_DIRECTORY_URL: "https://127.0.0.1:1/directory" };
  const gate = await stage.startGate(folder, { settings, inside: ["clock"] });
  await command(folder, ["domain", "add", "gate.test"], 0, settings);
  const attempts = (): number => gate.serverLog().split('"getting a certificate"').length - 1;
  const failures = (): number => gate.serverLog().split('"no certificate"').length - 1;
  await eventually(() => failures() >= 1 || undefined);
  const counts = [attempts()];
  for (const ms of [HOUR_MS, 0, -HOUR_MS, 0]) {
    await jump(gate, ms);
    const before = performance.now();
    // It looks once a second.
    await eventually(() => performance.now() - before > 1_500 || undefined);
    counts.push(attempts());
  }
  stage.figure(
    "attempts at a certificate before, an hour ahead, right, an hour behind, right",
    counts.join(", "),
  );
  stage.promise(
    "the clock jumping does not make it ask for certificates without end",
    unless((counts.at(-1) ?? 0) <= 3, `${counts.at(-1)} attempts`),
  );
}
