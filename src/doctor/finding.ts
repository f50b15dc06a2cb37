/** The result of a check: hints and problems say how to fix them. */
export type Finding =
  | { readonly kind: "ok"; readonly found: string }
  | { readonly kind: "hint" | "problem"; readonly found: string; readonly remedy: string };

export type Outcome = Finding["kind"];

export const ok = (found: string): Finding => ({ kind: "ok", found });

/** It works, but could be better, or will soon fail. */
export const hint = (found: string, remedy: string): Finding => ({ kind: "hint", found, remedy });

export const problem = (found: string, remedy: string): Finding => ({
  kind: "problem",
  found,
  remedy,
});

/** The hints and problems, or a single `ok` finding if there are none. */
export const orOk = (wrong: readonly Finding[], found: string): readonly Finding[] =>
  wrong.length === 0 ? [ok(found)] : wrong;

const SEVERITIES: readonly Outcome[] = ["ok", "hint", "problem"];

export function worst(outcomes: readonly Outcome[]): Outcome {
  return SEVERITIES.findLast((outcome) => outcomes.includes(outcome)) ?? "ok";
}
