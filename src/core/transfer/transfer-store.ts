import type { UserReader } from "../accounts/account-store.ts";
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

/** A store that can count its rows. */
export interface ContentsReader {
  readContents(): Promise<Amounts>;
}

/** A store that can add users and log entries of another database or system to its own. */
export interface Importer {
  /** Returns the users whose username or ID is already in use. */
  findTaken(users: readonly User[]): Promise<readonly TakenUser[]>;
  /**
   * Inserts everything in one step. Inserts nothing and returns `taken` when a username or an ID is
   * in use by then, or when the store must be `empty` and has other rows. Leaves out sessions whose
   * ID is known. The store assigns the IDs of log entries. Until it returns, nothing else may call
   * the store.
   */
  importRecords(rows: RowPages, into?: "any" | "empty"): Promise<"imported" | "taken">;
  /** Describes the first row that cannot be stored here, and why. */
  problemWith?(rows: NewRows): string | undefined;
}

export interface TakenUser {
  readonly id: UserId;
  readonly taken: "username" | "id";
}

export interface NewRows {
  readonly users: readonly TransferUser[];
  readonly entries: readonly NewLogEntry[];
}

type RowPages = Iterable<NewRows> | AsyncIterable<NewRows>;

/** A store that copies and imports can read and write. */
export interface TransferStore extends ContentsReader, UserReader, Importer {}
