import { type Check, checkOf, type Finding, hint, orOk, problem } from "./check.ts";
import { contentsOf, type Installation } from "./installation.ts";

const HINT_FROM_MS = 30_000;
const PROBLEM_FROM_MS = 5 * 60_000;

const REMEDY = "run timedatectl on both machines, and turn on time synchronization where it is off";

export const checkClock: Check = checkOf("clock", ["database"], async (installation) => {
  const clocks = [...(await databaseClocks(installation)), ...(await siteClock(installation))];
  const latest = (await contentsOf(installation))?.latestEntry;
  if (clocks.length === 0 && latest === undefined) return undefined;
  return orOk(
    [...clocks.map(compareClock), latest && futureEntry(latest, installation.now())],
    clocks.length === 0
      ? "no log entry is from the future"
      : `this machine's clock agrees with that of ${clocks.map(({ of }) => of).join(" and ")}`,
  );
});

/** Another clock, compared with that of this machine. */
interface Clock {
  readonly of: string;
  readonly aheadMs: number;
}

async function databaseClocks({
  settings,
  database,
}: Installation<"database">): Promise<readonly Clock[]> {
  const found = await database(settings.database).catch(() => undefined);
  const hosts = found?.kind === "postgres" ? found.hosts : [];
  return hosts
    .filter((one) => one.kind === "answers")
    .map(({ host, aheadMs }) => ({ of: `the database at ${host}`, aheadMs }));
}

async function siteClock({ site }: Installation<never>): Promise<readonly Clock[]> {
  const { url, login } = (await site()) ?? {};
  const date = Date.parse(login?.headers.date ?? "");
  if (url === undefined || login === undefined || Number.isNaN(date)) return [];
  // The Date header is in whole seconds: on average, it is half a second old.
  return [{ of: url.origin, aheadMs: date + 500 - login.receivedAt }];
}

/** Exported for its tests, which cannot set a wrong clock. */
export function compareClock({ of, aheadMs }: Clock): Finding | undefined {
  const difference = Math.abs(aheadMs);
  const direction = aheadMs > 0 ? "behind" : "ahead of";
  const found = `this machine's clock is ${spanOf(difference)} ${direction} that of ${of}`;
  if (difference >= PROBLEM_FROM_MS) return problem(found, REMEDY);
  return difference >= HINT_FROM_MS ? hint(found, REMEDY) : undefined;
}

/** A hint, since a clock that was ahead may be right by now: the entry remains until its time. */
function futureEntry(at: Date, now: number): Finding | undefined {
  const aheadMs = at.getTime() - now;
  if (aheadMs < HINT_FROM_MS) return undefined;
  return hint(
    `the log has an entry from ${spanOf(aheadMs)} in the future: this machine's clock is behind, or a clock was ahead, and sessions that began then last that much longer`,
    `${REMEDY}; if all clocks are right, this ends at ${at.toISOString()}: until then, end such sessions with latchkey session end, since latchkey user sign-out may not reach them`,
  );
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}
