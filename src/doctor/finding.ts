/** What a check has found, and of what is not as it should be, how to mend it. */
export type Finding =
  | { readonly kind: "fine"; readonly found: string }
  | { readonly kind: "advice" | "broken"; readonly found: string; readonly remedy: string };

export type Outcome = Finding["kind"];

export const fine = (found: string): Finding => ({ kind: "fine", found });

/** It works, but could be better, or soon will not work. */
export const advice = (found: string, remedy: string): Finding => ({
  kind: "advice",
  found,
  remedy,
});

export const broken = (found: string, remedy: string): Finding => ({
  kind: "broken",
  found,
  remedy,
});

/** What is wrong, or where nothing is, one line that says so. */
export const orFine = (wrong: readonly Finding[], found: string): readonly Finding[] =>
  wrong.length === 0 ? [fine(found)] : wrong;

const GRAVITY: readonly Outcome[] = ["fine", "advice", "broken"];

export function worst(outcomes: readonly Outcome[]): Outcome {
  return GRAVITY.findLast((outcome) => outcomes.includes(outcome)) ?? "fine";
}
