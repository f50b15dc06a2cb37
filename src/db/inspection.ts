import { ADMINS } from "./records.ts";
import type { RawRow } from "./rows.ts";
import { splitTexts, type TableName, tables } from "./tables.ts";

/** Contains what the doctor reads from a database without changing it. */
export interface DatabaseInspection {
  /** The schema is 0 when the database has no Latchkey tables. */
  readonly schema: number;
  /** Names an object that the migrations do not create, or create differently. */
  readonly difference: string | undefined;
  /** The contents are absent when this version of Latchkey cannot read the schema, or must not. */
  readonly contents: DatabaseContents | undefined;
}

export interface DatabaseContents {
  readonly hasUsers: boolean;
  /** True if an account in the group `admins` does not end. */
  readonly hasAdmin: boolean;
  readonly hasSetupToken: boolean;
  /** Lists the sealed keys of one-time codes, of up to 1,000 accounts. */
  readonly codes: readonly SealedCodes[];
}

export interface SealedCodes {
  readonly userId: string;
  readonly sealed: string;
}

type Subject = "users" | "groups" | "codes" | "tokens";

/**
 * Creates the queries of an inspection. They call no function: the inspection of an SQLite database
 * disables functions, even LIKE.
 */
export function createContentQueries(
  getTableName: (table: TableName) => string,
  schema: number,
): Readonly<Record<Subject, string>> {
  const hasTokens = schema >= (tables.setup_tokens.since ?? 1);
  return {
    users: `SELECT 1 AS yes FROM ${getTableName("users")} LIMIT 1`,
    groups: `SELECT DISTINCT groups FROM ${getTableName("users")} WHERE ends_at IS NULL`,
    codes: `SELECT user_id, secret FROM ${getTableName("codes")} WHERE secret IS NOT NULL LIMIT 1000`,
    tokens: hasTokens
      ? `SELECT 1 AS yes FROM ${getTableName("setup_tokens")} LIMIT 1`
      : "SELECT 1 AS yes WHERE 1 = 0",
  };
}

/** Converts the rows of these queries to the contents of the database. */
export const toContents = ({
  users,
  groups,
  codes,
  tokens,
}: Readonly<Record<Subject, readonly RawRow[]>>): DatabaseContents => ({
  hasUsers: users.length > 0,
  hasAdmin: groups.some((row) => splitTexts(String(row.groups)).includes(ADMINS)),
  hasSetupToken: tokens.length > 0,
  codes: codes.map((row) => ({ userId: String(row.user_id), sealed: String(row.secret) })),
});
