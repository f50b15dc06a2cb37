import type { Attack } from "./attack.ts";
import { listNeeds, type Outcome, type Result } from "./run.ts";

/** Findings printed per attack; the summary line has their full number. */
const MAX_SHOWN = 5;

const labels: Readonly<Record<Outcome, string>> = {
  passed: "pass",
  "got-through": "FAIL",
  skipped: "-",
  undecided: "?",
};

/** The result of one attack as lines of text. */
export function resultLines({ attack, outcome, tried, findings }: Result): readonly string[] {
  const start = `${labels[outcome].padEnd(5)}${attack.name.padEnd(21)}`;
  switch (outcome) {
    case "passed":
      return [`${start}${triedText(attack, tried)}, none ${attack.verb}`, `     ${attack.about}`];
    case "got-through":
      return [
        `${start}${triedText(attack, tried)}, ${findings.length} ${attack.verb}`,
        `     ${attack.about}`,
        `     ${attack.meaning}`,
        ...findings.slice(0, MAX_SHOWN).map((finding) => `     - ${printable(finding)}`),
        ...(findings.length > MAX_SHOWN ? [`     - and ${findings.length - MAX_SHOWN} more`] : []),
      ];
    case "skipped":
    case "undecided":
      return [`${start}${outcome}: ${printable(findings[0] ?? "")}`];
  }
}

/** What an attack tries, what it would mean if it got through, and what it needs. */
export const descriptionLines = (attack: Attack): readonly string[] => [
  attack.name,
  ...[attack.about, attack.meaning, ...listNeeds(attack)].map((line) => `     ${line}`),
];

const triedText = ({ noun }: Attack, tried: number): string =>
  `${tried.toLocaleString("en")} ${noun} tried`;

const count = (results: readonly Result[], wanted: Outcome): number =>
  results.filter(({ outcome }) => outcome === wanted).length;

export function summaryOf(results: readonly Result[], attempts: number): string {
  const undecided = count(results, "undecided");
  const parts = [
    `${count(results, "passed")} passed`,
    `${count(results, "got-through")} got through`,
    ...(undecided === 0 ? [] : [`${undecided} undecided`]),
    `${count(results, "skipped")} skipped`,
  ];
  const seconds = results.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
  const used =
    attempts === 0 ? "Used no sign-in attempt" : `Used at most ${attempts} sign-in attempts`;
  return `${parts.join(", ")}, in ${seconds.toFixed(1)} s. ${used}.`;
}

export const isClean = (results: readonly Result[]): boolean =>
  count(results, "got-through") + count(results, "undecided") === 0;

export function toJson(url: string, results: readonly Result[], attempts: number): string {
  const report = {
    url,
    passed: count(results, "passed"),
    gotThrough: count(results, "got-through"),
    undecided: count(results, "undecided"),
    skipped: count(results, "skipped"),
    signInAttempts: attempts,
    attacks: results.map(({ attack, outcome, tried, findings, milliseconds }) => ({
      name: attack.name,
      about: attack.about,
      outcome,
      tried,
      findings,
      meaning: outcome === "got-through" ? attack.meaning : undefined,
      milliseconds,
    })),
  };
  // JSON.stringify leaves these control characters unescaped, and terminals obey them.
  return JSON.stringify(report).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Escapes the control characters of text that a server chose, so that a terminal ignores them. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
