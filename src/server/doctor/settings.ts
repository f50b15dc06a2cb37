import type { SettingsReading } from "../settings.ts";
import type { Check } from "./check.ts";
import { advice, broken, type Finding, orFine } from "./finding.ts";

export interface SettingsExamination {
  readonly findings: readonly Finding[];
  /** Those that do not look at a wrong setting. */
  readonly left: readonly Check[];
}

/** Comes before all checks, which rely on what the settings say. */
export function examineSettings(
  reading: SettingsReading,
  checks: readonly Check[],
): SettingsExamination {
  const problems = reading.kind === "wrong" ? reading.problems : [];
  const wrong = new Set(problems.flatMap(namesIn));
  const nothingKnown = wrong.has("--env-file");
  const left = checks.filter(
    ({ settings }) => !nothingKnown && !settings.some((name) => wrong.has(name)),
  );
  const skipped = checks.filter((check) => !left.includes(check)).map(({ name }) => name);
  const again =
    skipped.length === 0 ? "" : `, and run this again: it has not looked at ${skipped.join(", ")}`;
  const findings = [
    ...problems.map((problem) => broken(problem, `correct it${again}`)),
    ...reading.warnings.map((warning) => advice(warning, "correct it, or remove it")),
  ];
  return { findings: orFine(findings, "each has a value that it can take"), left };
}

/** A setting that names a file stands for the one that the file holds. */
const namesIn = (problem: string): readonly string[] =>
  [...problem.matchAll(/(?:--env-file|\b[A-Z][A-Z_]+[A-Z])\b/g)].flatMap(([name]) =>
    /^(AUTH_SECRET|AUTH_SECRET_PREVIOUS|DATABASE_URL)_FILE$/.test(name)
      ? [name.replace(/_FILE$/, "")]
      : [name],
  );
