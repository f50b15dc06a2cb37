import { compileOnce, type Db, runTransaction, type TableRow } from "../database.ts";
import { type FoundUser, type Key, USE_PRECISION_MS, type UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { PROFILE_COLUMNS, toFoundUser, userExists } from "./users.ts";

/** Contains an API key and its user, whose account may have ended. */
export interface FoundKey {
  readonly key: Key;
  readonly user: FoundUser;
}

const toKey = (row: TableRow<typeof tables.keys>): Key => toRecord(tables.keys, row);

const findKeyRow = compileOnce((db, hash: string) =>
  db
    .selectFrom("latchkey_keys")
    .innerJoin("latchkey_users", "latchkey_users.id", "latchkey_keys.user_id")
    .leftJoin("latchkey_profiles", "latchkey_profiles.id", "latchkey_users.id")
    .where("latchkey_keys.hash", "=", hash)
    .selectAll("latchkey_keys")
    .select(["username", "password_hash", "sessions_from", "groups", "ends_at"])
    .select(PROFILE_COLUMNS),
);

/** Finds an API key by the hash of its text, with its user, in one statement. */
export async function findKey(db: Db, hash: string): Promise<FoundKey | undefined> {
  const [row] = await findKeyRow(db, hash);
  return row && { key: toKey(row), user: toFoundUser({ ...row, id: row.user_id }) };
}

const listKeyRows = compileOnce((db, userId: UserId) =>
  db
    .selectFrom("latchkey_keys")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id"),
);

/** Lists the API keys of a user, oldest first. */
export const listKeys = async (db: Db, userId: UserId): Promise<readonly Key[]> =>
  (await listKeyRows(db, userId)).map(toKey);

/**
 * Inserts an API key unless its ID or hash exists, or the user has `limit` keys. Returns whether
 * the key was inserted.
 */
export const insertKey = (db: Db, key: Key, limit: number): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    if (!(await userExists(trx, key.userId))) return false;
    if ((await listKeys(trx, key.userId)).length >= limit) return false;
    const inserted = await trx
      .insertInto("latchkey_keys")
      .values(toRow(tables.keys, key))
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    return inserted !== undefined;
  });

/** Removes an API key and returns it. If `userId` is set, the key must belong to that user. */
export async function removeKey(db: Db, id: string, userId?: UserId): Promise<Key | undefined> {
  let query = db.deleteFrom("latchkey_keys").where("id", "=", id);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  const row = await query.returningAll().executeTakeFirst();
  return row && toKey(row);
}

/** Records the use of an API key whose last recorded use is at least an hour earlier. */
export async function noteKeyUsed(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable("latchkey_keys")
    .set({ used_at: at.getTime() })
    .where("id", "=", id)
    .where((eb) =>
      eb.or([eb("used_at", "is", null), eb("used_at", "<=", at.getTime() - USE_PRECISION_MS)]),
    )
    .execute();
}
