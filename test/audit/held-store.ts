import { createAuditEvent, type NewAuditEvent } from "../../src/audit/events.ts";
import type { NewLogEntry, UserId } from "../../src/db/records.ts";
import type { StoreParts } from "../../src/db/store.ts";
import { eventually } from "../support/eventually.ts";

export const signedIn = (username: string): NewAuditEvent =>
  createAuditEvent("signin", { user: { id: `id of ${username}` as UserId, username } });

/** The part of a store that an event log needs, with the usernames of the written sign-ins. */
export interface LogTarget extends Pick<StoreParts["log"], "insert" | "pruneType"> {
  readonly written: readonly string[];
}

export interface HeldStore extends LogTarget {
  /** Batches without a result. */
  readonly asked: readonly unknown[];
  /** Waits for the next batch, and lets it succeed or fail. */
  answer(problem?: Error): Promise<void>;
}

const usernamesIn = (entries: readonly NewLogEntry[]): readonly string[] =>
  entries.map(({ subject = "" }) => subject);

/** A store whose batches wait for `answer`. */
export function heldStore(): HeldStore {
  const written: string[] = [];
  const asked: ((problem?: Error) => void)[] = [];
  return {
    written,
    asked,
    pruneType: async () => 0,
    insert: (entries) =>
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
    pruneType: async () => 0,
    async insert(entries) {
      written.push(...usernamesIn(entries));
    },
  };
}
