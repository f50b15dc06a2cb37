import type { AttemptRule } from "../records.ts";
import type { OpenDatabase } from "../store.ts";
import { runSql } from "../transfer.ts";

/** A database that is open, and the full names of its tables. */
export interface OpenPostgres extends OpenDatabase {
  readonly getTableName: (table: string) => string;
}

/**
 * Checks the window and records the attempt, by the clock of the database. A denied attempt is not
 * recorded. The sliding log has one row per address. Uses `clock_timestamp()`: with `now()`, a
 * statement that waited for the row would use the time at which it started.
 *
 * @param address After the kind of attempt and a space, which a sign-in by password lacks. Each
 *   kind has its own limit of tracked addresses.
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

/** What is before a space: empty for sign-ins by password. */
const formatKind = (address: string): string => `left(${address}, strpos(${address}, ' '))`;

/** Attempts in the future do not count: they were made while the clock was ahead. */
const formatWithin = (at: string, windowMs: string): string =>
  `${at} > clock_timestamp() - ${windowMs} * interval '1 millisecond' AND ${at} <= clock_timestamp()`;
