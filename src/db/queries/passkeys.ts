import { sql } from "kysely";
import { compileOnce, type Db, runTransaction } from "../database.ts";
import type { AnsweredChallenge, Passkey, UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { removeExpired } from "./expired.ts";
import { findUser } from "./users.ts";

const findAnyPasskey = compileOnce((db) =>
  db.selectFrom("latchkey_passkeys").select("id").limit(sql.lit(1)),
);

/** Returns whether any account has a passkey. */
export const anyPasskeyExists = async (db: Db): Promise<boolean> =>
  (await findAnyPasskey(db)).length > 0;

const listPasskeyRows = compileOnce((db, userId: UserId) =>
  db
    .selectFrom("latchkey_passkeys")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("added_at")
    .orderBy("id"),
);

/** Lists the passkeys of a user, oldest first. */
export const listPasskeys = async (db: Db, userId: UserId): Promise<readonly Passkey[]> =>
  (await listPasskeyRows(db, userId)).map((row) => toRecord(tables.passkeys, row));

/**
 * Inserts a passkey unless its ID exists, or the user has `limit` passkeys. Returns whether the
 * passkey was inserted.
 *
 * @param sessionsFrom The user's `sessionsFrom` when the registration began. If sessions were ended
 * since then, the passkey is not inserted.
 */
export const insertPasskey = (
  db: Db,
  passkey: Passkey,
  limit: number,
  sessionsFrom = 0,
): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, passkey.userId);
    if (user === undefined || (user.sessionsFrom ?? 0) !== sessionsFrom) return false;
    if ((await listPasskeys(trx, user.id)).length >= limit) return false;
    const inserted = await trx
      .insertInto("latchkey_passkeys")
      .values(toRow(tables.passkeys, passkey))
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    return inserted !== undefined;
  });

/** Renames a passkey. Returns whether the user has the passkey. */
export async function renamePasskey(
  db: Db,
  userId: UserId,
  id: string,
  name: string,
): Promise<boolean> {
  const renamed = await db
    .updateTable("latchkey_passkeys")
    .set({ name })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return renamed !== undefined;
}

/** Removes a passkey. Returns whether the user had the passkey. */
export async function removePasskey(db: Db, userId: UserId, id: string): Promise<boolean> {
  const removed = await db
    .deleteFrom("latchkey_passkeys")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return removed !== undefined;
}

/**
 * Claims the challenge. Returns `false` if the challenge was answered before. Removes some expired
 * challenges.
 */
export async function claimChallenge(
  db: Db,
  challenge: AnsweredChallenge,
  now: Date,
): Promise<boolean> {
  await removeExpired(db, "latchkey_answers", now);
  const claimed = await db
    .insertInto("latchkey_answers")
    .values(toRow(tables.answers, challenge))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return claimed !== undefined;
}

/**
 * Records a use. Returns `false` if the passkey counts its uses and its counter has not increased.
 */
export async function notePasskeyUse(
  db: Db,
  userId: UserId,
  id: string,
  counter: number,
  at: Date,
): Promise<boolean> {
  const noted = await db
    .updateTable("latchkey_passkeys")
    .set({ counter, used_at: at.getTime() })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where((eb) => eb.or([eb("counter", "=", 0), eb("counter", "<", counter)]))
    .returning("id")
    .executeTakeFirst();
  return noted !== undefined;
}
