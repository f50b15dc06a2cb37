import type { NewLogEntry, Store } from "../../src/core/store.ts";
import { eventually } from "../support/eventually.ts";

/** What an event log needs of a store, and the usernames of the sign-ins that got there. */
export interface LogTarget extends Pick<Store, "insertLogEntries"> {
  readonly written: readonly string[];
}

export interface HeldStore extends LogTarget {
  /** Batches that have no answer yet. */
  readonly asked: readonly unknown[];
  /** The next batch, once there is one, goes through or fails. */
  answer(problem?: Error): Promise<void>;
}

const usernamesIn = (entries: readonly NewLogEntry[]): readonly string[] =>
  entries.map(({ summary }) => summary.replace("Signed in as ", ""));

/** Each batch waits until `answer` lets it in, or refuses it. */
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

/** Answers at once. */
export function quickStore(): LogTarget {
  const written: string[] = [];
  return {
    written,
    async insertLogEntries(entries) {
      written.push(...usernamesIn(entries));
    },
  };
}
