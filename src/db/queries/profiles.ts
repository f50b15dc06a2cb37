import { type Db, runTransaction, UniqueViolation } from "../database.ts";
import type { FoundUser, Profile, UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { findUser } from "./users.ts";

/** Finds the profile of an account with the language of its messages, which no guard reads. */
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
 * Replaces the profile of an account, if it still is `from`. The language of messages stays unless
 * the profile has another one. The address counts as taken if another
 * account has verified it: of two changes at once, one gets it. Links for a new password that were
 * sent to another address end.
 */
export async function setProfile(
  db: Db,
  profile: Profile,
  from: FoundUser["profile"] = {},
): Promise<"no-user" | "changed-meanwhile" | "email-taken" | "set"> {
  try {
    return await runTransaction(db, async (trx) => {
      const user = await findUser(trx, profile.userId);
      if (user === undefined) return "no-user";
      if (!isSame(user.profile ?? {}, from)) return "changed-meanwhile";
      if (await isVerifiedByOther(trx, profile)) return "email-taken";
      const locale = profile.locale ?? (await findProfile(trx, profile.userId))?.locale;
      await trx.deleteFrom("latchkey_profiles").where("id", "=", profile.id).execute();
      await trx
        .deleteFrom("latchkey_links")
        .where("user_id", "=", profile.userId)
        .where("purpose", "=", "reset")
        .where("email", "<>", profile.email ?? "")
        .execute();
      if (profile.name === undefined && profile.email === undefined) return "set";
      await trx
        .insertInto("latchkey_profiles")
        .values(toRow(tables.profiles, { ...profile, ...(locale !== undefined && { locale }) }))
        .execute();
      return "set";
    });
  } catch (error) {
    // Another transaction has verified the address in the meantime.
    if (error instanceof UniqueViolation) return "email-taken";
    throw error;
  }
}

type KnownProfile = NonNullable<FoundUser["profile"]>;

const isSame = (first: KnownProfile, second: KnownProfile): boolean =>
  (["name", "email", "verifiedEmail"] as const).every((field) => first[field] === second[field]);

async function isVerifiedByOther(db: Db, { id, verifiedEmail }: Profile): Promise<boolean> {
  if (verifiedEmail === undefined) return false;
  const query = db
    .selectFrom("latchkey_profiles")
    .select("id")
    .where("verified_email", "=", verifiedEmail)
    .where("id", "<>", id);
  return (await query.executeTakeFirst()) !== undefined;
}
