import type { User, UserId } from "./records.ts";
import type { ColumnValue, Row, TableName } from "./tables.ts";

/** Numbers of users and log entries. */
export interface Amounts {
  readonly users: number;
  readonly entries: number;
}

/** Some rows of a table. */
export interface Rows {
  readonly table: TableName;
  readonly rows: readonly Row[];
}

/** A store whose rows can be read as they are. */
export interface RowReader {
  readAmounts(): Promise<Amounts>;
  /** Sorted by the key of the table. */
  readRows(table: TableName, after: ColumnValue, limit: number): Promise<readonly Row[]>;
  /** The rows that belong to these users. */
  readUserRows(table: TableName, users: readonly string[]): Promise<readonly Row[]>;
}

/** A store that can add rows of another database or system to its own. */
export interface RowWriter {
  /** Returns the users whose username or ID is already in use. */
  findTakenUsers(users: readonly User[]): Promise<readonly TakenUser[]>;
  /** Returns the users whose username another user has or had, in any spelling. */
  findUsedNames(users: readonly User[]): Promise<readonly UserId[]>;
  /**
   * Inserts everything in one step. Inserts nothing and returns `taken` when a username or an ID of
   * a user is in use by then. Leaves out rows of users whose key is known. The store assigns the IDs
   * of log entries. Until it returns, nothing else may call the store.
   *
   * @param verify For a store that must be empty, or is `taken`. Called before the end of the step,
   *   which what it throws undoes.
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

/** The part of a store that copies, exports and imports use. */
export interface TransferStore extends RowReader, RowWriter {}
