import type { AttemptCounter } from "../core/shared-limiter.ts";
import type { Ask } from "./postgres-query.ts";

/**
 * The sliding log of attempts, one row an address. `clock_timestamp()` and not `now()`: a statement
 * that waited for the row would else judge by the time at which it began.
 */
export function attemptCounter(ask: Ask): AttemptCounter {
  return {
    async recordAttempt(address, { attempts, windowMs, maxTracked }) {
      const recent = `FROM unnest(tracked.made) AS at
                      WHERE at > clock_timestamp() - $2 * interval '1 millisecond'`;
      const rows = await ask({
        name: "latchkey_record_attempt",
        text: `INSERT INTO latchkey_attempts AS tracked (address, made)
               SELECT $1, ARRAY[clock_timestamp()]
               WHERE NOT EXISTS (SELECT FROM latchkey_attempts OFFSET $4)
               ON CONFLICT (address) DO UPDATE
               SET made = ARRAY(SELECT at ${recent}) || clock_timestamp()
               WHERE (SELECT count(*) ${recent}) < $3
               RETURNING address`,
        values: [address, windowMs, attempts, maxTracked],
      });
      return rows.length === 1 ? "allowed" : "denied";
    },

    async forgetAttempts({ windowMs }) {
      await ask({
        text: `DELETE FROM latchkey_attempts WHERE address IN (
                 SELECT address FROM latchkey_attempts
                 WHERE made[cardinality(made)] <= clock_timestamp() - $1 * interval '1 millisecond'
                 FOR UPDATE SKIP LOCKED
               )`,
        values: [windowMs],
      });
    },
  };
}
