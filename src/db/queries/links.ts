import type { ExpressionBuilder } from "kysely";
import { nextSecond } from "../../lib/clock.ts";
import { type Db, runTransaction, type Schema, type TableRow } from "../database.ts";
import {
  ADMINS,
  type Link,
  type LinkPurpose,
  type NewUser,
  NO_PASSWORD,
  type Profile,
  toPublicUser,
  type User,
  type UserId,
} from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { forgetExpiredNames } from "./names.ts";
import { findProfile, setProfile } from "./profiles.ts";
import { findUser, insertUser, raiseSessionsFrom, removeUserLinks, toUser } from "./users.ts";

const toLink = (row: TableRow<typeof tables.links>): Link => toRecord(tables.links, row);

/**
 * Selects links that can still be used. A link of an administrator ends with that account, its
 * membership in `admins`, or its sessions. An older link names its administrator without an ID, so
 * it cannot be checked and counts as ended.
 */
const isOpen = (now: Date) => (eb: ExpressionBuilder<Schema, "latchkey_links">) =>
  eb.and([
    eb("uses_left", ">", 0),
    eb("expires_at", ">", now.getTime()),
    eb.or([
      eb.and([eb("maker_id", "is", null), eb("made_by", "is", null)]),
      eb.exists(
        eb
          .selectFrom("latchkey_users as maker")
          .select("maker.id")
          .whereRef("maker.id", "=", "latchkey_links.maker_id")
          .where("maker.password_hash", "<>", NO_PASSWORD)
          .where("maker.groups", "like", `%,${ADMINS},%`)
          .where((maker) =>
            maker.and([
              maker.or([
                maker("maker.ends_at", "is", null),
                maker("maker.ends_at", ">", now.getTime()),
              ]),
              maker.or([
                maker("maker.sessions_from", "is", null),
                maker("maker.sessions_from", "<=", maker.ref("latchkey_links.maker_valid_up_to")),
              ]),
            ]),
          ),
      ),
    ]),
  ]);

const selectOpenLinks = (db: Db, now: Date) =>
  db.selectFrom("latchkey_links").selectAll().where(isOpen(now));

/**
 * No account has ended at this time, since the end of the account is checked at each use of the
 * link.
 */
const BEFORE_ALL_ENDS = new Date(0);

/**
 * Inserts a new link. Returns `false` without inserting it if the account of its maker does not
 * permit the use of the link.
 */
export const insertLink = (db: Db, link: Link): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    await trx.insertInto("latchkey_links").values(toRow(tables.links, link)).execute();
    if (link.makerId === undefined) return true;
    const open = selectOpenLinks(trx, BEFORE_ALL_ENDS).where("id", "=", link.id);
    if ((await open.executeTakeFirst()) !== undefined) return true;
    await trx.deleteFrom("latchkey_links").where("id", "=", link.id).execute();
    return false;
  });

/** Finds a link by the hash of its token, if the link can still be used. */
export async function findLink(db: Db, tokenHash: string, now: Date): Promise<Link | undefined> {
  const query = selectOpenLinks(db, now).where("token_hash", "=", tokenHash);
  const row = await query.executeTakeFirst();
  return row && toLink(row);
}

/** Only messages contain links with these purposes, and nobody else sees them. */
const MAILED: readonly LinkPurpose[] = ["confirm-email", "end-sessions"];

/**
 * Lists a page of the links that people or commands have made and that can still be used, sorted by
 * ID. `""` comes before every ID.
 */
export async function listLinks(
  db: Db,
  afterId: string,
  limit: number,
  now: Date,
): Promise<readonly Link[]> {
  const query = selectOpenLinks(db, now)
    .where("id", ">", afterId)
    .where("purpose", "not in", MAILED)
    .orderBy("id")
    .limit(limit);
  return (await query.execute()).map(toLink);
}

/**
 * Uses the link once. If the link names a user, sets the password of that user. Otherwise inserts
 * the account; a taken username uses up nothing.
 */
export const consumeLink = (
  db: Db,
  link: Link,
  account: NewUser,
  now: Date,
  locale?: string,
): Promise<User | "taken" | "gone"> =>
  runTransaction(db, async (trx) => {
    const open = await selectOpenLinks(trx, now).where("id", "=", link.id).executeTakeFirst();
    if (open === undefined) return "gone";
    if (link.userId !== undefined) return resetPassword(trx, link, link.userId, account, now);
    const inserted = await insertUser(trx, account);
    if (inserted === undefined) return "taken";
    if (link.email !== undefined) await setInvitedEmail(trx, inserted.id, link.email, locale);
    await trx
      .updateTable("latchkey_links")
      .set({ uses_left: open.uses_left - 1 })
      .where("id", "=", link.id)
      .execute();
    return inserted;
  });

/**
 * Gives a new account the address to which its invitation was sent. Whoever uses the link has
 * received it there. An address that another account has verified meanwhile stays unverified.
 */
async function setInvitedEmail(
  trx: Db,
  userId: UserId,
  email: string,
  locale: string | undefined,
): Promise<void> {
  const verifiedEmail = email.toLowerCase();
  const holder = await trx
    .selectFrom("latchkey_profiles")
    .select("id")
    .where("verified_email", "=", verifiedEmail)
    .executeTakeFirst();
  const outcome = await setProfile(trx, {
    ...{ id: userId, userId, email },
    ...(holder === undefined && { verifiedEmail }),
    ...(locale !== undefined && { locale }),
  });
  if (outcome !== "set") throw new Error(`an invited address was not set: ${outcome}`);
}

/**
 * Sets the hash of the user, ends all sessions, removes every link of the user, and turns codes off
 * for `reset-codes-off`. Changes the user before the links, in the same order as the removal of a
 * user, so that neither transaction waits for the other.
 */
async function resetPassword(
  trx: Db,
  { purpose }: Link,
  userId: UserId,
  { passwordHash }: NewUser,
  now: Date,
): Promise<User | "gone"> {
  const user = await findUser(trx, userId);
  if (user === undefined) return "gone";
  await trx
    .updateTable("latchkey_users")
    .set({ password_hash: passwordHash })
    .where("id", "=", userId)
    .execute();
  await raiseSessionsFrom(trx, user, nextSecond({ now: () => now.getTime() }));
  await removeUserLinks(trx, userId);
  if (purpose === "reset-codes-off")
    await trx.deleteFrom("latchkey_codes").where("user_id", "=", userId).execute();
  return toPublicUser({ ...user, passwordHash });
}

/** Counts the links with this purpose that the account got by mail and that can still be used. */
export async function countMailedLinks(
  db: Db,
  { userId, purpose }: Pick<Link, "userId" | "purpose">,
  now: Date,
): Promise<number> {
  if (userId === undefined) return 0;
  const links = await selectOpenLinks(db, now)
    .where("user_id", "=", userId)
    .where("purpose", "=", purpose)
    .where("email", "is not", null)
    .execute();
  return links.length;
}

/**
 * Finds the pending address of a user: a message with a link was sent there, and the link was not
 * used yet.
 */
export async function findPendingEmail(
  db: Db,
  userId: UserId,
  now: Date,
): Promise<string | undefined> {
  const link = await selectOpenLinks(db, now)
    .where("user_id", "=", userId)
    .where("purpose", "=", "confirm-email")
    .executeTakeFirst();
  return link?.email ?? undefined;
}

/**
 * Uses a link that confirms an address: the address becomes that of the user, and other links for
 * the account end, because they may have been sent to the former address. Returns the former
 * profile.
 */
export const confirmEmail = (
  db: Db,
  { id, userId, email }: Link,
  locale: string | undefined,
  now: Date,
): Promise<
  | { readonly kind: "gone" | "taken" }
  | { readonly kind: "confirmed"; readonly user: User; readonly former: Profile | undefined }
> =>
  runTransaction(db, async (trx) => {
    const open = await selectOpenLinks(trx, now).where("id", "=", id).executeTakeFirst();
    if (open === undefined || userId === undefined || email === undefined) return { kind: "gone" };
    const user = await findUser(trx, userId);
    if (user === undefined) return { kind: "gone" };
    const verifiedEmail = email.toLowerCase();
    const holder = await trx
      .selectFrom("latchkey_profiles")
      .select("user_id")
      .where("verified_email", "=", verifiedEmail)
      .executeTakeFirst();
    if (holder !== undefined && holder.user_id !== userId) return { kind: "taken" };
    const former = await findProfile(trx, userId);
    const profile = {
      ...former,
      ...{ id: userId, userId, email, verifiedEmail },
      ...(former?.locale === undefined && locale !== undefined && { locale }),
    };
    const outcome = await setProfile(trx, profile, former);
    // The former profile is removed already. An error rolls this back.
    if (outcome !== "set") throw new Error(`a confirmed address was not set: ${outcome}`);
    await removeUserLinks(trx, userId);
    return { kind: "confirmed", user: toPublicUser(user), former };
  });

/** Uses a link that ends all sessions of its user. */
export const endSessionsByLink = (
  db: Db,
  { id, userId }: Link,
  now: Date,
): Promise<User | undefined> =>
  runTransaction(db, async (trx) => {
    const open = await selectOpenLinks(trx, now).where("id", "=", id).executeTakeFirst();
    const user = open && userId && (await findUser(trx, userId));
    if (!user) return undefined;
    await trx.deleteFrom("latchkey_links").where("id", "=", id).execute();
    await raiseSessionsFrom(trx, user, nextSecond({ now: () => now.getTime() }));
    return toPublicUser(user);
  });

/** Removes a link that can still be used, and returns it. */
export async function revokeLink(db: Db, id: string, now: Date): Promise<Link | undefined> {
  const row = await db
    .deleteFrom("latchkey_links")
    .where("id", "=", id)
    .where(isOpen(now))
    .returningAll()
    .executeTakeFirst();
  return row && toLink(row);
}

/**
 * Removes expired links and guests whose account has ended, and returns these guests. Frees the
 * names of guests that ended long ago.
 */
export const removeEndedLinks = (db: Db, now: Date): Promise<readonly User[]> =>
  runTransaction(db, async (trx) => {
    await trx.deleteFrom("latchkey_links").where("expires_at", "<=", now.getTime()).execute();
    await forgetExpiredNames(trx, now);
    // An account without an end must remain: without any account, anyone could set up the server.
    const lasting = trx.selectFrom("latchkey_users").select("id").where("ends_at", "is", null);
    if ((await lasting.limit(1).executeTakeFirst()) === undefined) return [];
    const removed = await trx
      .deleteFrom("latchkey_users")
      .where("ends_at", "<=", now.getTime())
      .where("password_hash", "=", NO_PASSWORD)
      .returningAll()
      .execute();
    return removed.map((row) => toPublicUser(toUser(row)));
  });
