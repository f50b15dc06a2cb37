import { messageOf } from "../core/base/fault.ts";
import type { SettingsReading } from "../gate/settings/settings.ts";
import { ENV_FILE } from "../gate/settings/sources.ts";
import { nameOf, type SettingsTable } from "../gate/settings/table.ts";
import type { Installation } from "./installation.ts";

/** What a check found. Hints and problems say how to fix them. */
export type Finding =
  | { readonly outcome: "ok"; readonly found: string }
  | { readonly outcome: "hint" | "problem"; readonly found: string; readonly remedy: string };

export const ok = (found: string): Finding => ({ outcome: "ok", found });

/** It works, but could be better, or will soon fail. */
export const hint = (found: string, remedy: string): Finding => ({
  outcome: "hint",
  found,
  remedy,
});

export const problem: typeof hint = (found, remedy) => ({ outcome: "problem", found, remedy });

/** `undefined` and an empty list mean that there is nothing to check. */
export type Findings = Finding | undefined | readonly Finding[];

/** The hints and problems, or a single `ok` finding if there are none. */
export function orOk(
  wrong: readonly (Finding | undefined | false)[],
  found: string,
): readonly Finding[] {
  const findings = wrong.filter((one) => one !== undefined && one !== false);
  return findings.length === 0 ? [ok(found)] : findings;
}

export interface Check {
  readonly name: string;
  /** The names of the settings that the check uses: it is skipped if one of them is invalid. */
  readonly settings: readonly string[];
  readonly run: (installation: Installation) => Promise<Findings>;
}

/** The settings that the defaults of others follow from. */
const DEFAULT_FROM: Partial<Record<keyof SettingsTable, string>> = {
  database: "DATA_DIR",
  setupTokenFile: "DATA_DIR",
  allowedHosts: "HOST",
};

/** A check that gets only the settings that it declares, by field. */
export const checkOf = <F extends keyof SettingsTable>(
  name: string,
  fields: readonly F[],
  run: (given: Installation<F>) => Promise<Findings>,
): Check => ({
  name,
  settings: fields.flatMap((field) => [nameOf(field), DEFAULT_FROM[field] ?? []].flat()),
  run({ settings, ...rest }) {
    const given = fields.map((field) => [field, settings[field]]);
    return run({ ...rest, settings: Object.fromEntries(given) });
  },
});

export type Report = { readonly check: string } & Finding;

/**
 * Reports on the settings, then runs the checks that use no invalid one: in parallel, with a time
 * limit each. A failing check does not affect others.
 */
export async function runChecks(
  checks: readonly Check[],
  reading: SettingsReading,
  installation: Installation,
  timeoutMs: number,
): Promise<readonly Report[]> {
  const invalid = new Set(reading.problems.flatMap(({ about }) => about));
  const { runnable = [], skipped = [] } = Object.groupBy(checks, ({ settings }) =>
    [ENV_FILE, ...settings].some((name) => invalid.has(name)) ? "skipped" : "runnable",
  );
  const all = [settingsCheck(reading, skipped), ...runnable];
  const found = all.map(async (check) => {
    const findings = await findingsOf(check, installation, timeoutMs);
    return findings.map((finding) => ({ check: check.name, ...finding }));
  });
  return (await Promise.all(found)).flat();
}

function settingsCheck({ problems, warnings }: SettingsReading, skipped: readonly Check[]): Check {
  const names = skipped.map(({ name }) => name).join(", ");
  const again = names === "" ? "" : `, and run this again: it skipped ${names}`;
  const findings = [
    ...problems.map(({ text }) => problem(text, `correct it${again}`)),
    ...warnings.map((warning) => hint(warning, "correct it, or remove it")),
  ];
  return checkOf("settings", [], async () => orOk(findings, "all values are valid"));
}

async function findingsOf(
  { run }: Check,
  installation: Installation,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<Finding>();
  const timedOut = problem(
    `the check did not finish within ${timeoutMs / 1_000} seconds`,
    "find out whether the disk, the network or DNS hangs, and run this again",
  );
  const timer = setTimeout(() => late.resolve(timedOut), timeoutMs);
  try {
    return [(await Promise.race([run(installation), late.promise])) ?? []].flat();
  } catch (error) {
    return [problem(`the check failed: ${messageOf(error)}`, "fix this, and run this again")];
  } finally {
    clearTimeout(timer);
  }
}
