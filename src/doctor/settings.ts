import type { SettingsReading } from "../gate/settings/settings.ts";
import { ENV_FILE } from "../gate/settings/sources.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";

interface SettingsExamination {
  readonly findings: readonly Finding[];
  /** The checks that do not use an invalid setting. */
  readonly left: readonly Check[];
}

/** Runs before all checks, because they rely on valid settings. */
export function examineSettings(
  reading: SettingsReading,
  checks: readonly Check[],
): SettingsExamination {
  const problems = reading.kind === "wrong" ? reading.problems : [];
  const wrong = new Set(problems.flatMap(({ about }) => about));
  const nothingKnown = wrong.has(ENV_FILE);
  const left = checks.filter(
    ({ settings }) => !nothingKnown && !settings.some((name) => wrong.has(name)),
  );
  const skipped = checks.filter((check) => !left.includes(check)).map(({ name }) => name);
  const again =
    skipped.length === 0 ? "" : `, and run this again: it has not looked at ${skipped.join(", ")}`;
  const findings = [
    ...problems.map(({ text }) => problem(text, `correct it${again}`)),
    ...reading.warnings.map((warning) => hint(warning, "correct it, or remove it")),
  ];
  return { findings: orOk(findings, "each has a value that it can take"), left };
}
