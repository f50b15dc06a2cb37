import type { Attack } from "../attack/attack.ts";
import type { Outcome, Result } from "../attack/run.ts";
import { printable, printableJson } from "../gate/printable.ts";

/** So many of one attack are shown; their number tells the rest. */
const SHOWN = 5;

const labels: Readonly<Record<Outcome, string>> = {
  passed: "pass",
  "got-through": "FAIL",
  "left-out": "-",
  undecided: "?",
};

/** One attack: how it went, and where it got through what that means. */
export function linesOf({ attack, outcome, tried, findings }: Result): readonly string[] {
  const start = `${labels[outcome].padEnd(5)}${attack.name.padEnd(21)}`;
  const [first = ""] = findings;
  switch (outcome) {
    case "passed":
      return [`${start}${countOf(attack, tried)}, none ${attack.verb}`, `     ${attack.about}`];
    case "got-through":
      return [
        `${start}${countOf(attack, tried)}, ${findings.length} ${attack.verb}`,
        `     ${attack.about}`,
        `     ${attack.meaning}`,
        ...findings.slice(0, SHOWN).map((finding) => `     - ${printable(finding)}`),
        ...(findings.length > SHOWN ? [`     - and ${findings.length - SHOWN} more`] : []),
      ];
    case "left-out":
    case "undecided":
      return [`${start}${outcome === "undecided" ? "undecided" : "left out"}: ${printable(first)}`];
  }
}

const countOf = ({ noun }: Attack, tried: number): string =>
  `${tried.toLocaleString("en")} ${noun} tried`;

const count = (results: readonly Result[], wanted: Outcome): number =>
  results.filter(({ outcome }) => outcome === wanted).length;

export function summaryOf(results: readonly Result[], attempts: number): string {
  const undecided = count(results, "undecided");
  const parts = [
    `${count(results, "passed")} passed`,
    `${count(results, "got-through")} got through`,
    ...(undecided === 0 ? [] : [`${undecided} undecided`]),
    `${count(results, "left-out")} left out`,
  ];
  const seconds = results.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
  const used =
    attempts === 0 ? "No sign-in attempt was" : `At most ${attempts} sign-in attempts were`;
  return `${parts.join(", ")}, in ${seconds.toFixed(1)} s. ${used} used.`;
}

export const isClean = (results: readonly Result[]): boolean =>
  count(results, "got-through") + count(results, "undecided") === 0;

export function jsonOf(url: string, results: readonly Result[], attempts: number): string {
  return printableJson({
    url,
    passed: count(results, "passed"),
    gotThrough: count(results, "got-through"),
    undecided: count(results, "undecided"),
    leftOut: count(results, "left-out"),
    signInAttempts: attempts,
    attacks: results.map(({ attack, outcome, tried, findings, milliseconds }) => ({
      name: attack.name,
      about: attack.about,
      outcome,
      tried,
      findings,
      ...(outcome === "got-through" ? { meaning: attack.meaning } : {}),
      milliseconds,
    })),
  });
}
