import type { GuardedFolder } from "../../test/support/postgres-folder.ts";
import type { Gate, GateOptions } from "./gate.ts";

/** A run of seconds for every change in the code, or the full length. */
export type Form = "short" | "full";

/** The limit for guards during any fault. The short form runs cases in parallel on busy machines. */
export const GUARD_P99_MS: Readonly<Record<Form, number>> = { short: 1_000, full: 250 };

/** One fault, and what must hold during and after it. */
export interface Case {
  readonly name: string;
  readonly about: string;
  /** The approximate duration. */
  readonly seconds: Readonly<Record<Form, number>>;
  /** In the short form, cases that wait run in parallel; a case that measures runs alone. */
  readonly pace: "waits" | "measures";
  /** Names of its operations, if it can be limited to some. */
  readonly operations?: readonly string[];
  run(context: CaseContext, form: Form): Promise<void>;
}

/** The tools of a case. Everything that it starts ends with the case. */
export interface CaseContext {
  folder(): Promise<GuardedFolder>;
  startGate(folder: GuardedFolder, options?: GateOptions): Promise<Gate>;
  /** Whether this run includes an operation of the case. */
  includes(operation: string): boolean;
  /** Runs at the end of the case, in reverse order. */
  defer(end: () => unknown): void;
  /** Reports progress. */
  say(text: string): void;
  figure(name: string, value: string): void;
  /** Records a check, failed if there are problems. */
  check(what: string, problems: readonly string[]): void;
  /** Records what this machine does not allow to test. */
  skip(what: string): void;
}

/** The problem as a list for `check`, empty if the condition holds. */
export const unless = (holds: unknown, problem: string): readonly string[] =>
  holds ? [] : [problem];
