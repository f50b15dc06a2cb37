import { compileOnce, type Db, runTransaction } from "../database.ts";
import { type Identity, type StoredUser, UNSET_PASSWORD, type UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { findActiveUser, findUser } from "./users.ts";

const listIdentityRows = compileOnce((db, userId: UserId) =>
  db
    .selectFrom("latchkey_identities")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("added_at")
    .orderBy("id"),
);

/** Lists the identities of a user, oldest first. */
export const listIdentities = async (db: Db, userId: UserId): Promise<readonly Identity[]> =>
  (await listIdentityRows(db, userId)).map((row) => toRecord(tables.identities, row));

/** Returns whose identity this is, whether the account has ended or not. */
export async function findIdentity(db: Db, id: string): Promise<UserId | undefined> {
  const row = await db
    .selectFrom("latchkey_identities")
    .select("user_id")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.user_id;
}

/** Finds the account that signs in with this identity, unless the account has ended. */
export async function findIdentityUser(
  db: Db,
  id: string,
  now: Date,
): Promise<StoredUser | undefined> {
  const userId = await findIdentity(db, id);
  return userId && findActiveUser(db, userId, now);
}

/**
 * Inserts an identity. An identity that belongs to another account already is `taken`, and an
 * account has at most `limit` of them.
 *
 * @param sessionsFrom The user's `sessionsFrom` when this began. If sessions were ended since then,
 * whoever began it may no longer be the person.
 */
export const insertIdentity = (
  db: Db,
  identity: Identity,
  limit: number,
  sessionsFrom = 0,
): Promise<"no-user" | "taken" | "too-many" | "added"> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, identity.userId);
    if (user === undefined || (user.sessionsFrom ?? 0) !== sessionsFrom) return "no-user";
    const own = await listIdentities(trx, user.id);
    if (own.some(({ id }) => id === identity.id)) return "added";
    if (own.length >= limit) return "too-many";
    const inserted = await trx
      .insertInto("latchkey_identities")
      .values(toRow(tables.identities, identity))
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    return inserted === undefined ? "taken" : "added";
  });

/** Notes that a person has signed in with an identity, and how the provider calls the person now. */
export async function noteIdentityUse(
  db: Db,
  id: string,
  use: { readonly at: Date; readonly label: string | undefined },
): Promise<void> {
  await db
    .updateTable("latchkey_identities")
    .set({ used_at: use.at.getTime(), label: use.label ?? null })
    .where("id", "=", id)
    .execute();
}

/**
 * Removes an identity of a user, unless it is the only way to sign in: the account has no password,
 * no passkey and no other identity.
 */
export const removeIdentity = (
  db: Db,
  userId: UserId,
  id: string,
): Promise<"no-identity" | "only-way-in" | "removed"> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, userId);
    const own = await listIdentities(trx, userId);
    if (user === undefined || !own.some((identity) => identity.id === id)) return "no-identity";
    if (own.length === 1 && user.passwordHash === UNSET_PASSWORD) {
      const passkey = trx
        .selectFrom("latchkey_passkeys")
        .select("id")
        .where("user_id", "=", userId);
      if ((await passkey.limit(1).executeTakeFirst()) === undefined) return "only-way-in";
    }
    await trx.deleteFrom("latchkey_identities").where("id", "=", id).execute();
    return "removed";
  });
