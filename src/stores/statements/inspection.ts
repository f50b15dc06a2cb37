import { ADMINS } from "../../core/accounts/set-groups.ts";
import { tables, textsFrom } from "../../core/tables.ts";
import type { Steps } from "./sql.ts";

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
  readonly hasSetupToken: boolean;
  /** The sealed keys of one-time codes, of up to 1,000 accounts. */
  readonly codes: readonly SealedCodes[];
}

export interface SealedCodes {
  readonly userId: string;
  readonly sealed: string;
}

/** Calls no function: an SQLite database that is inspected may call none, not even LIKE. */
export function* readContents(schema: number): Steps<DatabaseContents> {
  const hasTokens = schema >= (tables.setup_tokens.since ?? 1);
  const tokens = hasTokens ? yield ["SELECT 1 AS yes FROM {setup_tokens} LIMIT 1", []] : [];
  const users = yield ["SELECT 1 AS yes FROM {users} LIMIT 1", []];
  const groups = yield ["SELECT DISTINCT groups FROM {users} WHERE ends_at IS NULL", []];
  const codes = yield [
    "SELECT user_id, secret FROM {codes} WHERE secret IS NOT NULL LIMIT 1000",
    [],
  ];
  return {
    codes: codes.map((row) => ({ userId: String(row.user_id), sealed: String(row.secret) })),
    hasUsers: users.length > 0,
    hasSetupToken: tokens.length > 0,
    hasAdmin: groups.some((row) => textsFrom(String(row.groups)).includes(ADMINS)),
  };
}
