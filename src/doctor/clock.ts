import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";
import { type Installation, seenDatabase } from "./installation.ts";

const NOTED_FROM_MS = 30_000;
const WRONG_FROM_MS = 5 * 60_000;

const REMEDY =
  "see with timedatectl, on both machines, whether the clock is set by itself, and switch that on";

export const clockCheck: Check = {
  name: "clock",
  settings: ["DATABASE_URL", "DATA_DIR"],

  async look(installation) {
    const [database, site, log] = await Promise.all([
      aheadOfDatabase(installation),
      aheadOfSite(installation),
      aheadOfLog(installation),
    ]);
    const differences = [...database, ...site];
    if (differences.length + log.length === 0) return [];
    return orOk(
      [...differences.flatMap(judgedDifference), ...log.flatMap(judgedEntry)],
      differences.length === 0
        ? "no log entry comes from the future"
        : `this machine's clock agrees with ${differences.map(({ whose }) => whose).join(" and ")}`,
    );
  },
};

interface Difference {
  readonly whose: string;
  readonly aheadMs: number;
}

async function aheadOfDatabase(installation: Installation): Promise<readonly Difference[]> {
  const database = await installation.database().catch(() => undefined);
  if (database?.kind !== "postgres") return [];
  return database.hosts.flatMap((look) =>
    look.kind === "answers"
      ? [{ whose: `that of the database at ${look.host}`, aheadMs: look.aheadMs }]
      : [],
  );
}

async function aheadOfSite(installation: Installation): Promise<readonly Difference[]> {
  const site = await installation.site();
  if (site === undefined || site.login.kind === "none") return [];
  const { headers, receivedAt } = site.login;
  const date = Date.parse(headers.date ?? "");
  if (Number.isNaN(date)) return [];
  // The Date header is in whole seconds: on average, it is half a second old.
  return [{ whose: `that of ${site.url.origin}`, aheadMs: date + 500 - receivedAt }];
}

async function aheadOfLog(installation: Installation): Promise<readonly number[]> {
  const database = await seenDatabase(installation);
  if (database === "missing" || database === "unknown") return [];
  const latest = database.contents?.latestEntry;
  return latest === undefined ? [] : [latest.getTime() - installation.now()];
}

/** Exported for its tests, which cannot set a wrong clock. */
export function judgedDifference({ whose, aheadMs }: Difference): readonly Finding[] {
  const off = Math.abs(aheadMs);
  const found = `this machine's clock is ${spanOf(off)} ${aheadMs > 0 ? "behind" : "ahead of"} ${whose}`;
  return judged(off, found, REMEDY);
}

function judgedEntry(aheadMs: number): readonly Finding[] {
  return judged(
    aheadMs,
    `the log has an entry from ${spanOf(aheadMs)} in the future`,
    `either this machine's clock is behind, or one that wrote to the log was ahead: ${REMEDY}`,
  );
}

function judged(offMs: number, found: string, remedy: string): readonly Finding[] {
  if (offMs >= WRONG_FROM_MS) return [problem(found, remedy)];
  return offMs >= NOTED_FROM_MS ? [hint(found, remedy)] : [];
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
}
