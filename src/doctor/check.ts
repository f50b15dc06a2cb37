import { messageOf } from "../core/base/fault.ts";
import type { Settings, SettingsReading } from "../gate/settings/settings.ts";
import { ENV_FILE } from "../gate/settings/sources.ts";
import { nameOf, type SettingsTable } from "../gate/settings/table.ts";
import type { Installation } from "./installation.ts";

/** What a check found. Hints and problems say how to fix them. */
export type Finding =
  | { readonly outcome: "ok"; readonly found: string }
  | { readonly outcome: "hint" | "problem"; readonly found: string; readonly remedy: string };

export const ok = (found: string): Finding => ({ outcome: "ok", found });

type Advice = (found: string, remedy: string) => Finding;

/** It works, but could be better, or will soon fail. */
export const hint: Advice = (found, remedy) => ({ outcome: "hint", found, remedy });

export const problem: Advice = (found, remedy) => ({ outcome: "problem", found, remedy });

/** `undefined` and an empty list mean that there is nothing to check. */
export type Findings = Finding | undefined | readonly Finding[];

/** The hints and problems, or a single `ok` finding if there are none. */
export function orOk(wrong: readonly (Finding | undefined)[], found: string): readonly Finding[] {
  const findings = wrong.filter((one) => one !== undefined);
  return findings.length === 0 ? [ok(found)] : findings;
}

export interface Check {
  readonly name: string;
  /** The settings that the check uses: it is skipped if one of them is invalid. */
  readonly settings: readonly string[];
  readonly run: (installation: Installation) => Promise<Findings>;
}

/** A check that gets only the settings that it declares, by field. */
export const checkOf = <F extends keyof SettingsTable>(
  name: string,
  fields: readonly F[],
  run: (given: Narrowed<F>) => Promise<Findings>,
): Check => ({
  name,
  settings: fields.map(nameOf),
  run(installation) {
    const given = fields.map((field) => [field, installation.settings[field]]);
    return run({ ...installation, settings: Object.fromEntries(given) });
  },
});

interface Narrowed<F extends keyof Settings> extends Omit<Installation, "settings"> {
  readonly settings: Pick<Settings, F>;
}

/** A finding with the name of its check. */
export type Report = { readonly check: string } & Finding;

export const reportsOf = (check: string, findings: readonly Finding[]): readonly Report[] =>
  findings.map((finding) => ({ check, ...finding }));

interface SettingsExamination {
  readonly findings: readonly Finding[];
  /** The checks that do not use an invalid setting. */
  readonly runnable: readonly Check[];
}

/** Runs before all checks, because they rely on valid settings. */
export function examineSettings(
  { problems, warnings, ambiguous }: SettingsReading,
  checks: readonly Check[],
): SettingsExamination {
  const invalid = new Set(problems.flatMap(({ about }) => about));
  const { runnable = [], skipped = [] } = Object.groupBy(checks, ({ settings }) =>
    [ENV_FILE, ...settings].some((name) => invalid.has(name)) ? "skipped" : "runnable",
  );
  const names = skipped.map(({ name }) => name).join(", ");
  const remedy =
    names === "" ? "correct it" : `correct it, and run this again: it skipped ${names}`;
  const findings = [
    ...problems.map(({ text }) => problem(text, remedy)),
    ...warnings.map((warning) => hint(warning, "correct it, or remove it")),
    ...ambiguous.map((name) =>
      hint(
        `${name} in ${ENV_FILE} has another value in a unit, as systemd (EnvironmentFile=) does not know export, backquotes and comments after a value, and removes backslashes`,
        `write ${name}='…' in single quotes, or in double quotes if the value has a single one, with nothing else on the line`,
      ),
    ),
  ];
  return { findings: orOk(findings, "all values are valid"), runnable };
}

/** Runs the checks in parallel, with a time limit each. A failing check does not affect others. */
export async function runChecks(
  checks: readonly Check[],
  installation: Installation,
  timeoutMs: number,
): Promise<readonly Report[]> {
  const reports = checks.map(async (check) =>
    reportsOf(check.name, await findingsOf(check, installation, timeoutMs)),
  );
  return (await Promise.all(reports)).flat();
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
