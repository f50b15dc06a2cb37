import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "../../../test/support/eventually.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { inSeconds, mint, partsOf } from "../../../test/support/mint.ts";
import type { GuardedFolder } from "../../../test/support/postgres-folder.ts";
import { addresses, guarded, isSignedIn, setUp, signIn } from "../actions.ts";
import { type Case, type CaseContext, unless } from "../case.ts";
import { environmentOf, type Gate, preloads } from "../gate.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
const HOUR_MS = 3_600_000;
const HOUR_SECONDS = 3_600;
/** Longer than the user cache, after which the clock is read again. */
const SEEN_WITHIN_MS = 4_000;
const WINDOW_MS = 62_000;

const jumps = { forward: HOUR_MS, back: -HOUR_MS } as const;

/** The clock's offset when sessions are issued and when they are ended. */
const signOuts = [
  { issued: 0, ended: HOUR_MS, when: "after a jump forward" },
  { issued: 0, ended: -HOUR_MS, when: "after a jump back" },
  { issued: HOUR_MS, ended: 0, when: "after a clock that was ahead is corrected" },
  { issued: -HOUR_MS, ended: 0, when: "after a clock that was behind is corrected" },
] as const;

export const clockJumps: Case = {
  name: "clock-jumps",
  about: "the clock jumps by an hour, forward and back",
  seconds: { short: 14, full: 80 },
  pace: "waits",
  async run(context, form) {
    const names = Object.entries(jumps);
    const until = form === "full" ? "until the window ends" : "after the jump";
    // In parallel: each has its own gate and mostly waits.
    await Promise.all([
      ...names.map(([name, ms]) => sessions(context, name, ms)),
      ...names.map(([name, ms]) => limiter(context, name, ms, until)),
      ...signOuts.map((way) => signOut(context, way)),
      renewal(context),
    ]);
  },
};

const jump = (gate: Gate, shiftMs: number): Promise<unknown> => gate.sendInside({ shiftMs });

const isAccepted = async (gate: Gate, session: string): Promise<boolean> =>
  (await guarded(gate, session)).status === 200;

async function gateWithClock(
  context: CaseContext,
): Promise<{ gate: Gate; folder: GuardedFolder; session: string }> {
  const folder = await context.folder();
  const gate = await context.startGate(folder, { inside: ["clock"] });
  return { gate, folder, session: await setUp(gate) };
}

/** Checks sessions that are cached when the clock jumps, and ones that are not. */
async function sessions(context: CaseContext, name: string, ms: number): Promise<void> {
  const { gate, session } = await gateWithClock(context);
  const { user_id } = partsOf(session).claims;
  const lasting = (seconds: number): string =>
    mint({ user_id, exp: inSeconds(seconds), iat: inSeconds(0) });
  const [short, long] = [lasting(HOUR_SECONDS / 2), lasting(HOUR_SECONDS * 2)];
  for (const one of [session, short, long]) await isAccepted(gate, one);
  await jump(gate, ms);
  const shortIsValid = ms < 0;
  await eventually(
    async () => (await isAccepted(gate, short)) === shortIsValid || undefined,
    SEEN_WITHIN_MS,
  ).catch(() => undefined);
  const entered = await signIn(gate, OWNER.password, "10.0.0.1");
  context.check(`with the clock an hour ${name}, sessions last until their expiry`, [
    ...unless(await isAccepted(gate, session), "the session of 30 days was rejected"),
    ...unless(await isAccepted(gate, long), "the session of two hours was rejected"),
    ...unless((await isAccepted(gate, short)) === shortIsValid, "the session of half an hour"),
    ...unless(
      (await isAccepted(gate, lasting(HOUR_SECONDS / 2))) === shortIsValid,
      "an uncached session of half an hour",
    ),
    ...unless(
      isSignedIn(entered) && (await isAccepted(gate, entered.session ?? "")),
      "a new session",
    ),
  ]);
  await jump(gate, 0);
  context.check(`with the clock corrected after an hour ${name}, no session is lost`, [
    ...unless(await isAccepted(gate, session), "the session of 30 days was rejected"),
    ...unless(
      await isAccepted(gate, entered.session ?? ""),
      "the session issued meanwhile was rejected",
    ),
  ]);
}

/** Runs `user sign-out` with different clocks for the session and the command. */
async function signOut(
  context: CaseContext,
  { issued, ended, when }: { issued: number; ended: number; when: string },
): Promise<void> {
  const { gate, folder } = await gateWithClock(context);
  const enter = async (address: string): Promise<string> =>
    (await signIn(gate, OWNER.password, address)).session ?? "";
  await jump(gate, issued);
  const before = await enter("10.0.0.1");
  await jump(gate, ended);
  const since = await enter("10.0.0.2");
  await command(folder, ["user", "sign-out", OWNER.username], ended);
  const over = (session: string): Promise<boolean> =>
    eventually(async () => !(await isAccepted(gate, session)) || undefined, SEEN_WITHIN_MS).catch(
      () => false,
    );
  const after = await enter("10.0.0.3");
  if (issued > ended) {
    // A sign-out knows only times, so a session from a clock that was ahead counts as later.
    context.figure(
      `user sign-out ${when}: sessions that stay valid`,
      (await over(before)) ? "0" : "1",
    );
    context.check(
      `new sign-ins work after user sign-out, ${when}`,
      unless(await isAccepted(gate, after), "a later session was rejected"),
    );
    return;
  }
  context.check(`user sign-out ends earlier sessions, ${when}`, [
    ...unless(await over(before), "a session from before the jump was accepted"),
    ...unless(await over(since), "a session from after the jump was accepted"),
    ...unless(await isAccepted(gate, after), "a later session was rejected"),
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

/** The limiter uses the monotonic clock, so a jump must not reset or extend its window. */
async function limiter(
  context: CaseContext,
  name: string,
  ms: number,
  until: "after the jump" | "until the window ends",
): Promise<void> {
  const { gate } = await gateWithClock(context);
  const [address] = addresses(1);
  const attempt = () => signIn(gate, OWNER.password, String(address));
  const start = performance.now();
  for (let count = 0; count < 5; count += 1) await attempt();
  await jump(gate, ms);
  const jumped = [await attempt(), await signIn(gate, OWNER.password, "10.9.9.9")];
  context.check(`a jump ${name} does not affect the sign-in limit`, [
    ...unless(!jumped.slice(0, 1).some(isSignedIn), "a sixth attempt within the minute is allowed"),
    ...unless(jumped.slice(1).every(isSignedIn), "another address is denied"),
  ]);
  if (until === "after the jump") return;
  await eventually(() => performance.now() - start > WINDOW_MS || undefined, WINDOW_MS * 2);
  context.check(
    `a minute after a jump ${name}, attempts are allowed again`,
    unless(isSignedIn(await attempt()), "the attempt is denied"),
  );
}

/** Counts the requests to a certificate authority that does not respond. */
async function renewal(context: CaseContext): Promise<void> {
  const folder = await context.folder();
  const settings = { HTTPS_PORT: "0", ACME_DIRECTORY_URL: "https://127.0.0.1:1/directory" };
  const gate = await context.startGate(folder, { settings, inside: ["clock"] });
  await command(folder, ["domain", "add", "gate.test"], 0, settings);
  const attempts = (): number => gate.serverLog().split('"getting a certificate"').length - 1;
  const failures = (): number => gate.serverLog().split('"no certificate"').length - 1;
  await eventually(() => failures() >= 1 || undefined);
  const counts = [attempts()];
  for (const ms of [HOUR_MS, 0, -HOUR_MS, 0]) {
    await jump(gate, ms);
    const before = performance.now();
    // The gate checks once a second.
    await eventually(() => performance.now() - before > 1_500 || undefined);
    counts.push(attempts());
  }
  context.figure(
    "certificate requests: before, an hour ahead, corrected, an hour behind, corrected",
    counts.join(", "),
  );
  context.check(
    "clock jumps do not cause repeated certificate requests",
    unless((counts.at(-1) ?? 0) <= 3, `${counts.at(-1)} attempts`),
  );
}
