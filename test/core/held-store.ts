import type { NewLogEntry, Store } from "../../src/core/store.ts";
import { eventually } from "../support/eventually.ts";

/** The part of a store that an event log needs, with the usernames of the written sign-ins. */
export interface LogTarget extends Pick<Store, "insertLogEntries"> {
  readonly written: readonly string[];
}

export interface HeldStore extends LogTarget {
  /** Batches without a result. */
  readonly asked: readonly unknown[];
  /** Waits for the next batch, and lets it succeed or fail. */
  answer(problem?: Error): Promise<void>;
}

const usernamesIn = (entries: readonly NewLogEntry[]): readonly string[] =>
  entries.map(({ summary }) => summary.replace("Signed in as ", ""));

/** A store whose batches wait for `answer`. */
export function heldStore(): HeldStore {
  const written: string[] = [];
  const asked: ((problem?: Error) => void)[] = [];
  return {
    written,
    asked,
    insertLogEntries: (entries) =>
      new Promise((resolve, reject) => {
        asked.push((problem) => {
          if (problem !== undefined) return reject(problem);
          written.push(...usernamesIn(entries));
          resolve();
        });
      }),
    async answer(problem) {
      const next = await eventually(() => asked.shift());
      next(problem);
    },
  };
}

/** A store that resolves at once. */
export function quickStore(): LogTarget {
  const written: string[] = [];
  return {
    written,
    async insertLogEntries(entries) {
      written.push(...usernamesIn(entries));
    },
  };
}
