import type { GuardedFolder } from "../../test/support/postgres-folder.ts";
import type { Gate, GateOptions } from "./gate.ts";

/** In seconds for every change that is looked at, or at full length. */
export type Form = "short" | "full";

/** Of a guard whatever happens, in ms. The small form runs side by side, on machines that are busy. */
export const GUARD_P99_MS: Readonly<Record<Form, number>> = { short: 1_000, full: 250 };

/** One way to break the gate on purpose, and what it has promised to keep. */
export interface Case {
  readonly name: string;
  readonly about: string;
  /** About how long it takes. */
  readonly seconds: Readonly<Record<Form, number>>;
  /** What mostly waits is tried side by side in the small form; what measures is alone. */
  readonly pace: "waits" | "measures";
  run(stage: Stage, form: Form): Promise<void>;
}

/** What a case has at hand. Everything that was started on it ends with the case. */
export interface Stage {
  folder(): Promise<GuardedFolder>;
  startGate(folder: GuardedFolder, options?: GateOptions): Promise<Gate>;
  /** To be done at the end of the case, before what was begun earlier is ended. */
  defer(end: () => unknown): void;
  /** How far it is. */
  say(text: string): void;
  figure(name: string, value: string): void;
  /** A promise of the gate's, and what broke it. */
  promise(what: string, problems: readonly string[]): void;
  /** What this machine does not allow to be tried. */
  leaveOut(what: string): void;
}

/** The problem as a list, where it is one: for `promise`. */
export const unless = (holds: unknown, problem: string): readonly string[] =>
  holds ? [] : [problem];
