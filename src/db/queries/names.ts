import { nameKeyOf } from "../../lib/names.ts";
import { type Db, runTransaction } from "../database.ts";
import { NO_PASSWORD, type StoredUser, type UsedName } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";

/** Proxies, assertions, and sessions of apps know the name of a guest for that long at most. */
const GUEST_NAME_MS = 30 * 86_400_000;

/** The username of a user, as a name that is used. That of a guest is free some time after its end. */
export function usedNameOf({ id, username, passwordHash, endsAt }: StoredUser): UsedName {
  const isGuest = passwordHash === NO_PASSWORD && endsAt !== undefined;
  return {
    id: nameKeyOf(username),
    holder: id,
    ...(isGuest && { expiresAt: new Date(endsAt.getTime() + GUEST_NAME_MS) }),
  };
}

const insertName = (db: Db, user: StoredUser) =>
  db.insertInto("latchkey_used_names").values(toRow(tables.used_names, usedNameOf(user)));

/** Notes the username as used, and returns whether it was free. Part of a transaction. */
export async function claimName(trx: Db, user: StoredUser): Promise<boolean> {
  const query = insertName(trx, user)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id");
  return (await query.executeTakeFirst()) !== undefined;
}

/** The same, also for a name that the user has had before. */
export async function claimNameAgain(trx: Db, user: StoredUser): Promise<boolean> {
  const { id, holder } = usedNameOf(user);
  await trx
    .deleteFrom("latchkey_used_names")
    .where("id", "=", id)
    .where("holder", "=", holder)
    .execute();
  return claimName(trx, user);
}

/** For the setup, which takes any username. */
export async function takeName(trx: Db, user: StoredUser): Promise<void> {
  await forgetName(trx, user.username);
  await insertName(trx, user).execute();
}

/** Frees a username that no user has. Returns whether it was used. */
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

/** Notes the usernames of all users, for a database from before they were noted. */
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
