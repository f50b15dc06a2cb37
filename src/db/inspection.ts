import { ADMINS } from "../core/accounts/set-groups.ts";
import { textsFrom } from "../core/tables.ts";
import type { FoundRow } from "./rows.ts";

/** What the doctor reads of a database without changing it. */
export interface DatabaseInspection {
  /** 0 when the database has no Latchkey tables. */
  readonly schema: number;
  /** An object that the migrations do not create in this way. */
  readonly difference: string | undefined;
  /** Absent when this version of Latchkey cannot read the schema, or must not. */
  readonly contents: DatabaseContents | undefined;
}

export interface DatabaseContents {
  readonly hasUsers: boolean;
  /** Whether one is in the group `admins`, and does not end. */
  readonly hasAdmin: boolean;
}

/**
 * The queries of an inspection. They call no function: an SQLite database that is inspected may call
 * none, not even LIKE.
 */
export const selectAnyUser = (users: string): string => `SELECT 1 AS yes FROM ${users} LIMIT 1`;
export const selectGroups = (users: string): string =>
  `SELECT DISTINCT groups FROM ${users} WHERE ends_at IS NULL`;

/** What the rows of these queries mean. */
export const toContents = (
  users: readonly FoundRow[],
  groups: readonly FoundRow[],
): DatabaseContents => ({
  hasUsers: users.length > 0,
  hasAdmin: groups.some((row) => textsFrom(String(row.groups)).includes(ADMINS)),
});
