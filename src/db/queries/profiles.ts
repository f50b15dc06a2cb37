import { type Db, runTransaction } from "../database.ts";
import type { Profile, UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { userExists } from "./users.ts";

export async function findProfile(db: Db, userId: UserId): Promise<Profile | undefined> {
  const row = await db
    .selectFrom("latchkey_profiles")
    .selectAll()
    .where("id", "=", userId)
    .executeTakeFirst();
  return row && toRecord(tables.profiles, row);
}

/** Finds the account that has verified this e-mail address. */
export async function findUserIdByEmail(db: Db, email: string): Promise<UserId | undefined> {
  const row = await db
    .selectFrom("latchkey_profiles")
    .select("user_id")
    .where("verified_email", "=", email.toLowerCase())
    .executeTakeFirst();
  return row?.user_id;
}

/**
 * Replaces the profile of an account. The address counts as taken if another account has verified
 * it: of two changes at once, one gets it. Links for a new password that were sent to another
 * address end.
 */
export const setProfile = (db: Db, profile: Profile): Promise<"no-user" | "email-taken" | "set"> =>
  runTransaction(db, async (trx) => {
    if (!(await userExists(trx, profile.userId))) return "no-user";
    await trx.deleteFrom("latchkey_profiles").where("id", "=", profile.id).execute();
    const inserted = await trx
      .insertInto("latchkey_profiles")
      .values(toRow(tables.profiles, profile))
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (inserted !== undefined) {
      await trx
        .deleteFrom("latchkey_links")
        .where("user_id", "=", profile.userId)
        .where("purpose", "=", "reset")
        .where("email", "<>", profile.email ?? "")
        .execute();
      return "set";
    }
    // The profile must stay as it was.
    throw new EmailTaken();
  }).catch((error: unknown) => {
    if (error instanceof EmailTaken) return "email-taken" as const;
    throw error;
  });

/** Rolls the transaction back. */
class EmailTaken extends Error {}
