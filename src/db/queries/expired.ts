import { CLOCK_MARGIN_SECONDS } from "../../lib/clock.ts";
import type { Db } from "../database.ts";

/** Each new row removes at most this many expired rows. */
const MAX_REMOVED = 100;

/**
 * Removes some rows that have expired by this time, even for an instance whose clock is behind.
 * Returns their number.
 */
export async function removeExpired(
  db: Db,
  table:
    | "latchkey_sessions"
    | "latchkey_handoffs"
    | "latchkey_answers"
    | "latchkey_devices"
    | "latchkey_grants"
    | "latchkey_tokens"
    | "latchkey_sign_outs"
    | "latchkey_outbox",
  by: Date,
): Promise<number> {
  const removed = await db
    .deleteFrom(table)
    .where("id", "in", (eb) =>
      eb
        .selectFrom(table)
        .select("id")
        .where("expires_at", "<=", by.getTime() - CLOCK_MARGIN_SECONDS * 1_000)
        .orderBy("expires_at")
        .limit(MAX_REMOVED),
    )
    .returning("id")
    .execute();
  return removed.length;
}

/**
 * Removes grants, codes, tokens and messages to apps that have expired. Returns whether there may be
 * more of them.
 */
export async function removeExpiredGrants(db: Db, by: Date): Promise<boolean> {
  let mayHaveMore = false;
  for (const table of ["latchkey_tokens", "latchkey_grants", "latchkey_sign_outs"] as const) {
    mayHaveMore = (await removeExpired(db, table, by)) === MAX_REMOVED || mayHaveMore;
  }
  return mayHaveMore;
}
