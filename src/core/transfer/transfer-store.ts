import type { UserReader } from "../accounts/account-store.ts";
import type { LogEntry } from "../log-reader.ts";
import type { NewLogEntry, TransferUser, User, UserId } from "../store.ts";

/** Numbers of users and log entries. */
export interface Amounts {
  readonly users: number;
  readonly entries: number;
}

/** The progress of one part of a transfer. */
export interface Portion {
  readonly done: number;
  readonly total: number;
}

export interface Progress<Step extends string> {
  readonly step: Step;
  readonly users: Portion;
  readonly entries: Portion;
}

/** Rows that were added meanwhile raise the total. */
export const progressOf = <Step extends string>(
  step: Step,
  done: Amounts,
  total: Amounts,
): Progress<Step> => ({
  step,
  users: { done: done.users, total: Math.max(done.users, total.users) },
  entries: { done: done.entries, total: Math.max(done.entries, total.entries) },
});

/** A store that can describe its contents. */
export interface ContentsReader {
  readContents(): Promise<Contents>;
}

export interface Contents extends ImportPoint, Amounts {}

/** The progress of a copy, as stored in its target. A later write of anyone else changes it. */
export interface ImportPoint {
  /** Stored with the last batch. Only the copy interprets it. */
  readonly mark: string | undefined;
  /** The highest log entry ID that has been assigned, or that must not be assigned again. */
  readonly lastEntryId: number;
}

/** A store that can be the target of a copy: rows keep their IDs. */
export interface Importer {
  /**
   * Inserts the whole batch with its mark, or nothing: `overtaken` when the store is not at the
   * batch's starting point, or has users or entries but no mark.
   */
  importBatch(batch: ImportBatch): Promise<"imported" | "overtaken">;
  /** Describes the first row that cannot be stored here, and why. */
  problemWith?(rows: ImportRows): string | undefined;
}

export interface ImportRows {
  readonly users: readonly TransferUser[];
  readonly entries: readonly LogEntry[];
}

export interface ImportBatch extends ImportRows {
  readonly from: ImportPoint;
  readonly to: ImportPoint;
  /** `start-over` removes all users and entries first. */
  readonly how: "add" | "start-over";
}

/** A store that can add users and log entries of another system to its own. */
export interface RecordImporter extends Pick<Importer, "problemWith"> {
  /** Returns the users whose username or ID is already in use. */
  findTaken(users: readonly User[]): Promise<readonly TakenUser[]>;
  /**
   * Inserts everything in one step, or nothing and returns `taken` when a username or an ID is in
   * use by then. Leaves out sessions whose ID is known. The store assigns the IDs of log entries.
   * May call `rows` more than once.
   */
  importRecords(rows: () => Iterable<NewRows>): Promise<"imported" | "taken">;
}

export interface TakenUser {
  readonly id: UserId;
  readonly taken: "username" | "id";
}

export interface NewRows {
  readonly users: readonly TransferUser[];
  readonly entries: readonly NewLogEntry[];
}

/** A store that copies and imports can read and write. */
export interface TransferStore extends ContentsReader, UserReader, Importer, RecordImporter {}
