import type { SettingsReading } from "../gate/settings/settings.ts";
import { ENV_FILE } from "../gate/settings/sources.ts";
import { getSettingName, type SettingsTable } from "../gate/settings/table.ts";
import { getErrorMessage } from "../lib/fault.ts";
import type { Installation } from "./installation.ts";

/** Describes what a check found. Hints and problems explain how to fix them. */
export type Finding =
  | { readonly outcome: "ok"; readonly found: string }
  | { readonly outcome: "hint" | "problem"; readonly found: string; readonly remedy: string };

export const ok = (found: string): Finding => ({ outcome: "ok", found });

/** Creates a hint: the installation works, but could be better or will soon fail. */
export const hint = (found: string, remedy: string): Finding => ({
  outcome: "hint",
  found,
  remedy,
});

export const problem: typeof hint = (found, remedy) => ({ outcome: "problem", found, remedy });

/** `undefined` and an empty list mean that there is nothing to check. */
export type Findings = Finding | undefined | readonly Finding[];

/** Returns the hints and problems, or a single `ok` finding if there are none. */
export function collectFindings(
  wrong: readonly (Finding | undefined | false)[],
  found: string,
): readonly Finding[] {
  const findings = wrong.filter((finding) => finding !== undefined && finding !== false);
  return findings.length === 0 ? [ok(found)] : findings;
}

export interface Check {
  readonly name: string;
  /** Names the settings that the check uses. The check is skipped if one of them is invalid. */
  readonly settings: readonly string[];
  readonly run: (installation: Installation) => Promise<Findings>;
}

/** Names the setting from which the default of a field follows. */
const DEFAULT_FROM: Partial<Record<keyof SettingsTable, string>> = {
  database: "DATA_DIR",
  setupTokenFile: "DATA_DIR",
  allowedHosts: "HOST",
};

/** Creates a check that receives only the settings that it declares, by field. */
export const createCheck = <F extends keyof SettingsTable>(
  name: string,
  fields: readonly F[],
  run: (installation: Installation<F>) => Promise<Findings>,
): Check => ({
  name,
  settings: fields.flatMap((field) => [getSettingName(field), DEFAULT_FROM[field] ?? []].flat()),
  run({ settings, ...rest }) {
    const entries = fields.map((field) => [field, settings[field]]);
    return run({ ...rest, settings: Object.fromEntries(entries) });
  },
});

export type Report = { readonly check: string } & Finding;

/**
 * Reports on the settings, then runs the checks that use no invalid setting. Checks run in
 * parallel, each with a time limit. A failing check does not affect others.
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
  const all = [createSettingsCheck(reading, skipped), ...runnable];
  const found = all.map(async (check) => {
    const findings = await runCheck(check, installation, timeoutMs);
    return findings.map((finding) => ({ check: check.name, ...finding }));
  });
  return (await Promise.all(found)).flat();
}

function createSettingsCheck(
  { problems, warnings }: SettingsReading,
  skipped: readonly Check[],
): Check {
  const names = skipped.map(({ name }) => name).join(", ");
  const again = names === "" ? "" : `, and run this again: it skipped ${names}`;
  const findings = [
    ...problems.map(({ message: text }) => problem(text, `correct it${again}`)),
    ...warnings.map((warning) => hint(warning, "correct it, or remove it")),
  ];
  return createCheck("settings", [], async () => collectFindings(findings, "all values are valid"));
}

async function runCheck(
  { run }: Check,
  installation: Installation,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const timeout = Promise.withResolvers<Finding>();
  const timedOut = problem(
    `the check did not finish within ${timeoutMs / 1_000} seconds`,
    "find out whether the disk, the network or DNS hangs, and run this again",
  );
  const timer = setTimeout(() => timeout.resolve(timedOut), timeoutMs);
  try {
    return [(await Promise.race([run(installation), timeout.promise])) ?? []].flat();
  } catch (error) {
    return [problem(`the check failed: ${getErrorMessage(error)}`, "fix this, and run this again")];
  } finally {
    clearTimeout(timer);
  }
}
