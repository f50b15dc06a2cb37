import type { AttemptStore } from "../../core/store.ts";
import type { Ask } from "../statements/sql.ts";

/**
 * The sliding log of attempts, one row per address. Uses `clock_timestamp()`: with `now()`, a
 * statement that waited for the row would use the time at which it started.
 */
export function attemptsOn(ask: Ask): AttemptStore {
  return {
    async record(address, { attempts, windowMs, maxTracked }) {
      const recent = `FROM unnest(tracked.made) AS at WHERE ${isWithin("at", "$2")}`;
      const text = `INSERT INTO {attempts} AS tracked (address, made)
        SELECT $1, ARRAY[clock_timestamp()]
        WHERE NOT EXISTS (SELECT FROM {attempts} WHERE ${kindOf("address")} == ${kindOf("$1")} OFFSET $4)
        ON CONFLICT (address) DO UPDATE
        SET made = array_append(ARRAY(SELECT at ${recent}), clock_timestamp())
        WHERE (SELECT count(*) ${recent}) < $3
        RETURNING address`;
      const values = [address, windowMs, attempts, maxTracked];
      return (await ask(text, values, "latchkey_record_attempt")).length === 1
        ? "allowed"
        : "denied";
    },

    async forget({ windowMs }) {
      const text = `DELETE FROM {attempts} WHERE address IN (
          SELECT address FROM {attempts}
          WHERE NOT (${isWithin("made[cardinality(made)]", "$1")})
          FOR UPDATE SKIP LOCKED
        )`;
      await ask(text, [windowMs]);
    },
  };
}

/** What is before a space: empty for sign-ins by password. */
const kindOf = (address: string): string => `left(${address}, strpos(${address}, ' '))`;

/** Attempts in the future do not count: they were made while the clock was ahead. */
const isWithin = (at: string, windowMs: string): string =>
  `${at} > (clock_timestamp() - (${windowMs} OPERATOR(pg_catalog.*) interval '1 millisecond'))
   AND ${at} <= clock_timestamp()`;
