import type { AttemptRule } from "../records.ts";
import type { OpenDatabase } from "../store.ts";
import { runSql } from "../transfer.ts";

/** Provides an open database and the full names of its tables. */
export interface OpenPostgres extends OpenDatabase {
  readonly getTableName: (table: string) => string;
}

/**
 * Checks the window and records the attempt by the clock of the database, in one row per address. A
 * denied attempt is not recorded. Uses `clock_timestamp()`: after a wait for the row, `now()` would
 * be the time at which the statement started.
 *
 * @param address The kind of attempt, a space and the address. A sign-in by password has no kind
 * and no space. Each kind has its own limit of tracked addresses.
 */
export async function recordAttempt(
  { db, getTableName: nameOf }: OpenPostgres,
  address: string,
  { attempts, windowMs, maxTracked }: AttemptRule,
): Promise<"allowed" | "denied"> {
  const table = nameOf("attempts");
  const recent = `FROM unnest(tracked.made) AS at WHERE ${formatWithin("at", "$2")}`;
  const rows = await runSql(
    db,
    `INSERT INTO ${table} AS tracked (address, made)
     SELECT $1, ARRAY[clock_timestamp()]
     WHERE NOT EXISTS (SELECT FROM ${table} WHERE ${formatKind("address")} = ${formatKind("$1")} OFFSET $4)
     ON CONFLICT (address) DO UPDATE
     SET made = array_append(ARRAY(SELECT at ${recent}), clock_timestamp())
     WHERE (SELECT count(*) ${recent}) < $3
     RETURNING address`,
    [address, windowMs, attempts, maxTracked],
  );
  return rows.length === 1 ? "allowed" : "denied";
}

/** Removes the addresses without an attempt in the window. */
export async function forgetAttempts(
  { db, getTableName: nameOf }: OpenPostgres,
  { windowMs }: AttemptRule,
): Promise<void> {
  const table = nameOf("attempts");
  await runSql(
    db,
    `DELETE FROM ${table} WHERE address IN (
       SELECT address FROM ${table}
       WHERE NOT (${formatWithin("made[cardinality(made)]", "$1")})
       FOR UPDATE SKIP LOCKED
     )`,
    [windowMs],
  );
}

/**
 * Formats the SQL for the kind of an attempt: the text up to the space, which is empty for sign-ins
 * by password.
 */
const formatKind = (address: string): string => `left(${address}, strpos(${address}, ' '))`;

/**
 * Formats the SQL for an attempt in the window. Attempts in the future do not count: they were made
 * while the clock was ahead.
 */
const formatWithin = (at: string, windowMs: string): string =>
  `${at} > clock_timestamp() - ${windowMs} * interval '1 millisecond' AND ${at} <= clock_timestamp()`;
