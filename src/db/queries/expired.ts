import { CLOCK_MARGIN_SECONDS } from "../../lib/clock.ts";
import type { Db } from "../database.ts";

/** Each new row removes at most this many expired rows. */
const MAX_REMOVED = 100;

/** Removes some rows that have expired by this time, even for an instance whose clock is behind. */
export async function removeExpired(
  db: Db,
  table:
    | "latchkey_sessions"
    | "latchkey_handoffs"
    | "latchkey_answers"
    | "latchkey_devices"
    | "latchkey_grants"
    | "latchkey_tokens"
    | "latchkey_sign_outs",
  by: Date,
): Promise<void> {
  await db
    .deleteFrom(table)
    .where("id", "in", (eb) =>
      eb
        .selectFrom(table)
        .select("id")
        .where("expires_at", "<=", by.getTime() - CLOCK_MARGIN_SECONDS * 1_000)
        .orderBy("expires_at")
        .limit(MAX_REMOVED),
    )
    .execute();
}
