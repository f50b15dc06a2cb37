import type { UserId } from "../../core/records.ts";
import type { Value } from "../../core/tables.ts";
import type { Row } from "../rows.ts";

/**
 * Runs one statement and returns its rows. The text is SQL that both databases take after a small
 * translation: `{users}` is a table, `==` compares, and `IN {$1}` takes a list of texts.
 *
 * @param name PostgreSQL prepares the statement under this name, once per connection.
 */
export type Ask = (
  text: string,
  values?: readonly (Value | readonly Value[])[],
  name?: string | undefined,
) => Promise<readonly Row[]>;

/**
 * Statements of one transaction: each `yield` runs one and returns its rows. Not a function that
 * awaits, since SQLite runs them without letting another statement of the process in between.
 */
export type Steps<T> = Generator<
  readonly [text: string, values: readonly Value[]],
  T,
  readonly Row[]
>;

export type InOneStep = <T>(work: () => Steps<T>) => Promise<T>;

/** What the statements that both databases share need of one. */
export interface Database {
  readonly ask: Ask;
  /** Whether an error says that a username or an ID is already in use. */
  readonly isTaken: (error: unknown) => boolean;
  /** Runs the steps while no other process does so. */
  readonly alone: InOneStep;
  /** Called after the change of a user, for a database that does not report changes by itself. */
  readonly changed: (id: UserId) => void;
}
