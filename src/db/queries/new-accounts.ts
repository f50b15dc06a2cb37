import { type Db, runTransaction } from "../database.ts";
import type { Identity, NewUser, User, UserId } from "../records.ts";
import { findIdentity, insertIdentity } from "./identities.ts";
import { setProfile } from "./profiles.ts";
import { insertUser } from "./users.ts";

/** Contains what is known about a person from the first moment. */
export interface NewAccountFacts {
  /** Messages are in this language. */
  readonly locale?: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** An address that another account has verified stays unverified. */
  readonly emailIs?: "verified" | "unverified" | undefined;
  /** The person signs in with this account at another provider. */
  readonly identity?: Omit<Identity, "userId"> | undefined;
}

/**
 * Inserts an account with its profile and its identity, or nothing: an account whose identity
 * belongs to another account would have no way in.
 */
export const insertAccount = (
  db: Db,
  account: NewUser,
  facts: NewAccountFacts,
): Promise<User | "taken" | "identity-taken"> =>
  runTransaction(db, async (trx) => {
    const { identity } = facts;
    if (identity !== undefined && (await findIdentity(trx, identity.id))) return "identity-taken";
    const user = await insertUser(trx, account);
    if (user === undefined) return "taken";
    if (identity !== undefined) await insertIdentity(trx, { ...identity, userId: user.id }, 1);
    await insertProfile(trx, user.id, facts);
    return user;
  });

async function insertProfile(
  trx: Db,
  userId: UserId,
  { locale, name, email, emailIs }: NewAccountFacts,
): Promise<void> {
  if (name === undefined && email === undefined) return;
  const verifiedEmail = emailIs === "verified" ? email?.toLowerCase() : undefined;
  const holder =
    verifiedEmail === undefined
      ? undefined
      : await trx
          .selectFrom("latchkey_profiles")
          .select("id")
          .where("verified_email", "=", verifiedEmail)
          .executeTakeFirst();
  await setProfile(trx, {
    ...{ id: userId, userId },
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(verifiedEmail !== undefined && holder === undefined && { verifiedEmail }),
    ...(locale !== undefined && { locale }),
  });
}
