import { nameKeyOf } from "../../lib/names.ts";
import { type Db, runTransaction } from "../database.ts";
import { NO_PASSWORD, type StoredUser, type UsedName } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";

/** Proxies, assertions, and sessions of apps know the name of a guest for at most this long. */
const GUEST_NAME_MS = 30 * 86_400_000;

/**
 * Returns the username of a user as a used name. The name of a guest becomes free some time after
 * the account ends.
 */
export function createUsedName({ id, username, passwordHash, endsAt }: StoredUser): UsedName {
  const isGuest = passwordHash === NO_PASSWORD && endsAt !== undefined;
  return {
    id: nameKeyOf(username),
    holder: id,
    ...(isGuest && { expiresAt: new Date(endsAt.getTime() + GUEST_NAME_MS) }),
  };
}

const insertName = (db: Db, user: StoredUser) =>
  db.insertInto("latchkey_used_names").values(toRow(tables.used_names, createUsedName(user)));

/**
 * Records the username as used, and returns whether the name was free. Must run in a transaction.
 */
export async function claimName(trx: Db, user: StoredUser): Promise<boolean> {
  const query = insertName(trx, user)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id");
  return (await query.executeTakeFirst()) !== undefined;
}

/**
 * Records the username like `claimName`, but also accepts a name that the same user has had before.
 */
export async function claimNameAgain(trx: Db, user: StoredUser): Promise<boolean> {
  const { id, holder } = createUsedName(user);
  await trx
    .deleteFrom("latchkey_used_names")
    .where("id", "=", id)
    .where("holder", "=", holder)
    .execute();
  return claimName(trx, user);
}

/** Takes a username for the setup, which accepts any username. */
export async function takeName(trx: Db, user: StoredUser): Promise<void> {
  await forgetName(trx, user.username);
  await insertName(trx, user).execute();
}

/** Frees a username that no user has. Returns whether the name was recorded as used. */
export async function forgetName(db: Db, username: string): Promise<boolean> {
  const query = db
    .deleteFrom("latchkey_used_names")
    .where("id", "=", nameKeyOf(username))
    .returning("id");
  return (await query.executeTakeFirst()) !== undefined;
}

/** Frees the names of guests that ended long ago. */
export async function forgetExpiredNames(db: Db, now: Date): Promise<void> {
  await db.deleteFrom("latchkey_used_names").where("expires_at", "<=", now.getTime()).execute();
}

const PAGE_SIZE = 500;

/**
 * Records the usernames of all users, for a database that is older than the table of used names.
 */
export const noteAllNames = (db: Db): Promise<void> =>
  runTransaction(db, async (trx) => {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page = await trx
        .selectFrom("latchkey_users")
        .selectAll()
        .where("id", ">", after as StoredUser["id"])
        .orderBy("id")
        .limit(PAGE_SIZE)
        .execute();
      for (const row of page) await claimName(trx, toRecord(tables.users, row));
      after = page.at(-1)?.id;
    }
  });
