import type { AttemptCounter } from "../../core/limits/shared-limiter.ts";
import type { Ask } from "./query.ts";
import { EQ, GT, LT, LTE, MINUS, type Tables, TIMES } from "./tables.ts";

/**
 * The sliding log of attempts, one row per address. Uses `clock_timestamp()`: with `now()`, a
 * statement that waited for the row would use the time at which it started.
 */
export function attemptCounter(ask: Ask, { attempts: table }: Tables): AttemptCounter {
  return {
    async recordAttempt(address, { attempts, windowMs, maxTracked }) {
      const recent = `FROM pg_catalog.unnest(tracked.made) AS at
                      WHERE at ${GT} ${timeAgo("$2")}`;
      const text = `INSERT INTO ${table} AS tracked (address, made)
        SELECT $1, ARRAY[pg_catalog.clock_timestamp()]
        WHERE NOT EXISTS (SELECT FROM ${table} WHERE ${kindOf("address")} ${EQ} ${kindOf("$1")} OFFSET $4)
        ON CONFLICT (address) DO UPDATE
        SET made = pg_catalog.array_append(ARRAY(SELECT at ${recent}), pg_catalog.clock_timestamp())
        WHERE (SELECT pg_catalog.count(*) ${recent}) ${LT} $3
        RETURNING address`;
      const values = [address, windowMs, attempts, maxTracked];
      return (await ask(text, values, "latchkey_record_attempt")).length === 1
        ? "allowed"
        : "denied";
    },

    async forgetAttempts({ windowMs }) {
      const text = `DELETE FROM ${table} WHERE address ${EQ} ANY (
          SELECT address FROM ${table}
          WHERE made[pg_catalog.cardinality(made)] ${LTE} ${timeAgo("$1")}
          FOR UPDATE SKIP LOCKED
        )`;
      await ask(text, [windowMs]);
    },
  };
}

/** What is before a space: empty for sign-ins by password. */
const kindOf = (address: string): string =>
  `pg_catalog.left(${address}, pg_catalog.strpos(${address}, ' '))`;

const timeAgo = (milliseconds: string): string =>
  `(pg_catalog.clock_timestamp() ${MINUS}
    (${milliseconds} ${TIMES} interval '1 millisecond'))`;
