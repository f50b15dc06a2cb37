import type { User, UserId } from "./records.ts";
import type { ColumnValue, Row, TableName } from "./tables.ts";

/** Contains the numbers of users and log entries. */
export interface Amounts {
  readonly users: number;
  readonly entries: number;
}

/** Contains some rows of a table. */
export interface Rows {
  readonly table: TableName;
  readonly rows: readonly Row[];
}

/**
 * Returns whether a row of this table must not exist yet. What belongs to it would otherwise become
 * part of an account or app that has only its ID in common.
 */
export const refusesTaken = (table: TableName): boolean => table === "users" || table === "apps";

/** Reads the rows of a store unchanged. */
export interface RowReader {
  readAmounts(): Promise<Amounts>;
  /** Reads a page of rows, sorted by the key of the table. */
  readRows(table: TableName, after: ColumnValue, limit: number): Promise<readonly Row[]>;
  /** Reads the rows that belong to these users. */
  readUserRows(table: TableName, users: readonly string[]): Promise<readonly Row[]>;
}

/** Adds the rows of another database or system to a store. */
export interface RowWriter {
  /** Returns the users whose username or ID is already in use. */
  findTakenUsers(users: readonly User[]): Promise<readonly TakenUser[]>;
  /** Returns the IDs that an app already has. */
  findTakenApps(ids: readonly string[]): Promise<readonly string[]>;
  /** Returns the users whose username another user has or had, in any spelling. */
  findUsedNames(users: readonly User[]): Promise<readonly UserId[]>;
  /** Returns the addresses, in lower case, that an account has verified. */
  findVerifiedEmails(emails: readonly string[]): Promise<readonly string[]>;
  /**
   * Inserts everything in one step, or inserts nothing and returns `taken` if a username, or the ID
   * of a user or an app, is in use. Skips rows of users whose key exists. The store assigns the IDs of log
   * entries. Until the call returns, nothing else may call the store.
   *
   * @param verify Requires an empty store; the result is `taken` for any other store. Called before
   * the end of the step. An error from `verify` rolls the step back.
   */
  importRows(
    pages: Iterable<Rows> | AsyncIterable<Rows>,
    verify?: (written: RowReader) => Promise<void>,
  ): Promise<"imported" | "taken">;
}

export interface TakenUser {
  readonly id: UserId;
  readonly taken: "username" | "id";
}

/** Copies, exports and imports use this part of a store. */
export interface TransferStore extends RowReader, RowWriter {}
