import { randomUUID } from "node:crypto";
import { type ExpressionBuilder, type Nullable, type SelectQueryBuilder, sql } from "kysely";
import { nameKeyOf } from "../../lib/names.ts";
import {
  compileOnce,
  type Db,
  runTransaction,
  type Schema,
  type TableRow,
  UniqueViolation,
} from "../database.ts";
import {
  ADMINS,
  type FoundUser,
  type NewUser,
  type PasswordHash,
  type StoredUser,
  toPublicUser,
  type User,
  type UserId,
} from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { joinTexts, tables } from "../tables.ts";
import { claimName, claimNameAgain, createUsedName, takeName } from "./names.ts";

/** Names what a change of an account must preserve. */
export type Kept = "an-admin";

/** Describes the session that requests the end of all other sessions of its user. */
export interface AskingSession {
  readonly id: string | undefined;
  /** The session has ended if the user's `sessionsFrom` is larger. */
  readonly validUpTo: number;
}

export interface EndOfSessions {
  /** A token that records this value is valid. */
  readonly sessionsFrom: number;
  readonly asker: "was-valid" | "had-ended";
}

export const toUser = (row: TableRow<typeof tables.users>): StoredUser =>
  toRecord(tables.users, row);

/**
 * Selects users together with their profiles, so that guards read both in one statement. The names
 * of the columns differ from those of all tables that are joined with users.
 */
export const selectUsers = (db: Db): UserQuery =>
  db
    .selectFrom("latchkey_users")
    .leftJoin("latchkey_profiles", "latchkey_profiles.id", "latchkey_users.id")
    .selectAll("latchkey_users")
    .select(PROFILE_COLUMNS);

export const PROFILE_COLUMNS = [
  "latchkey_profiles.name as profile_name",
  "latchkey_profiles.email as profile_email",
  "latchkey_profiles.verified_email as profile_verified_email",
] as const;

type UserQuery = SelectQueryBuilder<
  Omit<Schema, "latchkey_profiles"> & {
    latchkey_profiles: Nullable<Schema["latchkey_profiles"]>;
  },
  "latchkey_users" | "latchkey_profiles",
  FoundUserRow
>;

type FoundUserRow = TableRow<typeof tables.users> & {
  readonly profile_name: string | null;
  readonly profile_email: string | null;
  readonly profile_verified_email: string | null;
};

export function toFoundUser(row: FoundUserRow): FoundUser {
  const { profile_name: name, profile_email: email, profile_verified_email: verifiedEmail } = row;
  const user = toUser(row);
  if (name === null && email === null) return user;
  const profile = {
    ...(name !== null && { name }),
    ...(email !== null && { email }),
    ...(email !== null && verifiedEmail !== null && { verifiedEmail }),
  };
  return { ...user, profile };
}

const findAnyUser = compileOnce((db) =>
  db.selectFrom("latchkey_users").select("id").limit(sql.lit(1)),
);

/** Returns whether any account exists. */
export const anyUserExists = async (db: Db): Promise<boolean> => (await findAnyUser(db)).length > 0;

export const userExists = async (db: Db, id: UserId): Promise<boolean> =>
  (await findUser(db, id)) !== undefined;

const findUserRow = compileOnce((db, id: UserId) =>
  selectUsers(db).where("latchkey_users.id", "=", id),
);

/** Finds a user by ID. Also finds a user whose account has ended, for administration. */
export async function findUser(db: Db, id: UserId): Promise<FoundUser | undefined> {
  const [row] = await findUserRow(db, id);
  return row && toFoundUser(row);
}

/**
 * Finds a user by username. Also finds a user whose account has ended, for administration. The
 * match is exact: no trimming, no case folding, no normalisation.
 */
export async function findUserByName(db: Db, username: string): Promise<FoundUser | undefined> {
  const row = await selectUsers(db).where("username", "=", username).executeTakeFirst();
  return row && toFoundUser(row);
}

/**
 * This is the latest time that a `Date` can have. An account with a later, invalid end counts as
 * ended.
 */
const LATEST_TIME = sql.lit(8_640_000_000_000_000);

/** Matches accounts that have not ended at this time. */
export const isActive = (now: number) =>
  sql<boolean>`(ends_at IS NULL OR (ends_at > ${now} AND ends_at <= ${LATEST_TIME}))`;

type FindActive<Value> = (db: Db, value: Value, now: Date) => Promise<FoundUser | undefined>;

function createFindActive<Value extends string>(column: "id" | "username"): FindActive<Value> {
  const findRow = compileOnce((db, value: Value, now: number) =>
    selectUsers(db).where(`latchkey_users.${column}`, "=", value).where(isActive(now)),
  );
  return async (db, value, now) => {
    const [row] = await findRow(db, value, now.getTime());
    return row && toFoundUser(row);
  };
}

/**
 * Finds a user whose account has not ended. Sign-ins and sessions must read their user in this way.
 */
export const findActiveUser: FindActive<UserId> = createFindActive("id");

/**
 * Finds a user whose account has not ended by username. The match is as exact as in
 * `findUserByName`.
 */
export const findActiveUserByName: FindActive<string> = createFindActive("username");

/** Lists a page of all users, sorted by ID in byte order. `""` comes before every ID. */
export async function listUsers(
  db: Db,
  afterId: string,
  limit: number,
): Promise<readonly FoundUser[]> {
  const query = selectUsers(db)
    .where("latchkey_users.id", ">", afterId as UserId)
    .orderBy("latchkey_users.id")
    .limit(limit);
  return (await query.execute()).map(toFoundUser);
}

/**
 * Inserts a user if no user exists. Of concurrent callers, one gets the user and the others get
 * `undefined`. The first user can take any username.
 */
export const insertFirstUser = (db: Db, user: NewUser): Promise<User | undefined> =>
  runTransaction(db, async (trx) => {
    if (await anyUserExists(trx)) return undefined;
    const first: StoredUser = { ...user, id: randomUUID() as UserId };
    await takeName(trx, first);
    return insertRow(trx, first);
  });

/**
 * Inserts a user with a new ID. Returns `undefined` if another user has or had a username with the
 * same `nameKeyOf`. The name of a guest is free again 30 days after the account ends.
 */
export const insertUser = (db: Db, user: NewUser): Promise<User | undefined> =>
  // The transaction conflicts with a concurrent insert of the first user.
  runTransaction(db, async (trx) => {
    const added: StoredUser = { ...user, id: randomUUID() as UserId };
    // An instance of an older version may have inserted the username without recording it as used.
    return (await claimName(trx, added)) ? insertRow(trx, added) : undefined;
  });

async function insertRow(trx: Db, user: StoredUser): Promise<User | undefined> {
  const inserted = await trx
    .insertInto("latchkey_users")
    .values(toRow(tables.users, user))
    .onConflict((conflict) => conflict.column("username").doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted && toPublicUser(toUser(inserted));
}

/** Returns whether `insertUser` would refuse the username. */
export async function isNameUsed(db: Db, username: string): Promise<boolean> {
  const query = db
    .selectFrom("latchkey_used_names")
    .select("id")
    .where("id", "=", nameKeyOf(username));
  const isNoted = (await query.executeTakeFirst()) !== undefined;
  return isNoted || (await findUserByName(db, username)) !== undefined;
}

/**
 * Renames a user. Returns `taken` when `insertUser` would refuse the username, but a user can take
 * back its own earlier names.
 */
export async function renameUser(
  db: Db,
  id: UserId,
  username: string,
): Promise<"renamed" | "taken" | "missing"> {
  try {
    return await runTransaction(db, async (trx) => {
      const user = await findUser(trx, id);
      if (user === undefined) return "missing";
      const { profile, ...stored } = user;
      const renamed = { ...stored, username };
      const row = toRow(tables.users, renamed);
      // An instance of an older version may have inserted the user without recording the username
      // as used.
      await claimName(trx, user);
      const isOwn = createUsedName(user).id === createUsedName(renamed).id;
      if (!isOwn && !(await claimNameAgain(trx, renamed))) return "taken";
      await trx
        .updateTable("latchkey_users")
        .set({ username: row.username })
        .where("id", "=", id)
        .execute();
      return "renamed";
    });
  } catch (error) {
    if (error instanceof UniqueViolation) return "taken";
    throw error;
  }
}

/**
 * Replaces the groups of a user.
 *
 * @param keep With `an-admin`, the last administrator whose account does not end keeps the role.
 */
export const setUserGroups = (
  db: Db,
  id: UserId,
  groups: readonly string[],
  keep?: Kept,
): Promise<"set" | "last-admin" | "missing"> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, id);
    if (user === undefined) return "missing";
    if (keep && !groups.includes(ADMINS) && (await isLastAdmin(trx, user))) return "last-admin";
    // The database stores null instead of an empty list.
    const stored = groups.length === 0 ? null : joinTexts(groups);
    await trx.updateTable("latchkey_users").set({ groups: stored }).where("id", "=", id).execute();
    if (!groups.includes(ADMINS)) await removeLinksMadeBy(trx, id);
    return "set";
  });

/** Says what to change of a user. A missing value stays as it is. */
export interface UserChange {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** Rolls back a transaction, since a part of the change was refused. */
class ChangeRefused extends Error {
  readonly outcome: "taken" | "last-admin" | "missing" | "changed-meanwhile";

  constructor(outcome: ChangeRefused["outcome"]) {
    super(outcome);
    this.outcome = outcome;
  }
}

/**
 * Renames a user and replaces its groups, or changes nothing.
 *
 * @param from The user must still have this username and these groups, if given.
 * @param keep has the same meaning as for `setUserGroups`.
 */
export async function changeUser(
  db: Db,
  id: UserId,
  { username, groups }: UserChange,
  { from, keep }: { readonly from?: UserChange | undefined; readonly keep?: Kept | undefined } = {},
): Promise<"changed" | ChangeRefused["outcome"]> {
  try {
    return await runTransaction(db, async (trx) => {
      if (from !== undefined) {
        const user = await findUser(trx, id);
        if (user === undefined) throw new ChangeRefused("missing");
        const isSame = user.username === from.username && listText(user) === listText(from);
        if (!isSame) throw new ChangeRefused("changed-meanwhile");
      }
      const renamed = username === undefined ? "renamed" : await renameUser(trx, id, username);
      if (renamed !== "renamed") throw new ChangeRefused(renamed);
      const set = groups === undefined ? "set" : await setUserGroups(trx, id, groups, keep);
      if (set !== "set") throw new ChangeRefused(set);
      return "changed" as const;
    });
  } catch (error) {
    if (error instanceof ChangeRefused) return error.outcome;
    throw error;
  }
}

const listText = ({ groups = [] }: UserChange): string => joinTexts(groups);

/**
 * Adds a group to those of a user, so that no other change of the groups is lost.
 *
 * @param limit A user can have this many groups.
 */
export const addUserGroup = (
  db: Db,
  id: UserId,
  group: string,
  limit: number,
): Promise<"missing" | "too-many" | "unchanged" | "added"> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, id);
    if (user === undefined) return "missing";
    const groups = user.groups ?? [];
    if (groups.includes(group)) return "unchanged";
    if (groups.length >= limit) return "too-many";
    const stored = joinTexts([...groups, group].sort());
    await trx.updateTable("latchkey_users").set({ groups: stored }).where("id", "=", id).execute();
    return "added";
  });

/**
 * Removes a user and all its data. The last account without an end cannot be removed, even if two
 * accounts are removed at the same time.
 *
 * @param keep has the same meaning as for `setUserGroups`.
 */
export const removeUser = (
  db: Db,
  id: UserId,
  keep?: Kept,
): Promise<"removed" | "last" | "last-admin" | "missing"> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, id);
    if (user === undefined) return "missing";
    const query = trx.selectFrom("latchkey_users").select("id").where(otherStays(id)).limit(1);
    if ((await query.executeTakeFirst()) === undefined) return "last";
    if (keep && (await isLastAdmin(trx, user))) return "last-admin";
    await trx.deleteFrom("latchkey_users").where("id", "=", id).execute();
    await claimName(trx, user);
    return "removed";
  });

/** Selects other accounts that do not end. */
const otherStays = (id: UserId) => (eb: ExpressionBuilder<Schema, "latchkey_users">) =>
  eb.and([eb("id", "<>", id), eb("ends_at", "is", null)]);

async function isLastAdmin(db: Db, { id, groups, endsAt }: StoredUser): Promise<boolean> {
  if (endsAt !== undefined || groups?.includes(ADMINS) !== true) return false;
  const others = db
    .selectFrom("latchkey_users")
    .select("id")
    .where(otherStays(id))
    .where("groups", "like", `%,${ADMINS},%`)
    .limit(1);
  return (await others.executeTakeFirst()) === undefined;
}

/**
 * Replaces the hash only if it is still `from`, so that no concurrent change is lost silently.
 * Removes the links of the user: with an unused link, such as one in an old mail, an attacker could
 * take over the account.
 *
 * @param keep With `links`, the links stay: use it for another hash of the same password.
 */
export const replacePasswordHash = (
  db: Db,
  id: UserId,
  from: PasswordHash,
  to: PasswordHash,
  keep?: "links",
): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    const replaced = await trx
      .updateTable("latchkey_users")
      .set({ password_hash: to })
      .where("id", "=", id)
      .where("password_hash", "=", from)
      .returning("id")
      .executeTakeFirst();
    if (replaced === undefined) return false;
    if (keep !== "links") await removeUserLinks(trx, id);
    return true;
  });

/**
 * Removes the links that a user made. Part of leaving the group `admins`: the links must not work
 * again after a return to it.
 */
async function removeLinksMadeBy(db: Db, id: UserId): Promise<void> {
  await db.deleteFrom("latchkey_links").where("maker_id", "=", id).execute();
}

/**
 * Removes the links that set a password or an address of the user. A link that ends all sessions
 * stays: whoever has taken the account over must not be able to take it away.
 */
export async function removeUserLinks(db: Db, id: UserId): Promise<void> {
  await db
    .deleteFrom("latchkey_links")
    .where("user_id", "=", id)
    .where("purpose", "<>", "end-sessions")
    .execute();
}

/**
 * Ends every session of the user that was issued before that second, and removes the sessions from
 * the list. Always raises `sessionsFrom`. Returns `undefined` for an unknown user.
 *
 * @param asker The result reports whether this session was valid until then.
 */
export const endSessionsOfUser = (
  db: Db,
  id: UserId,
  before: number,
  asker?: AskingSession,
): Promise<EndOfSessions | undefined> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, id);
    if (user === undefined) return undefined;
    const wasValid =
      asker !== undefined &&
      (user.sessionsFrom ?? 0) <= asker.validUpTo &&
      !(asker.id !== undefined && (await hasSessionEnded(trx, asker.id)));
    const sessionsFrom = await raiseSessionsFrom(trx, user, before);
    return { sessionsFrom, asker: wasValid ? "was-valid" : "had-ended" };
  });

/**
 * Ends every session of the user, in a transaction. `sessionsFrom` always increases: otherwise,
 * with a clock that is behind, or in the same second, a session could become valid again.
 */
export async function raiseSessionsFrom(
  trx: Db,
  { id, sessionsFrom = 0 }: StoredUser,
  before: number,
): Promise<number> {
  const raised = Math.max(before, sessionsFrom + 1);
  await trx
    .updateTable("latchkey_users")
    .set({ sessions_from: raised })
    .where("id", "=", id)
    .execute();
  await trx
    .deleteFrom("latchkey_sessions")
    .where("user_id", "=", id)
    .where("ended_at", "is", null)
    .execute();
  return raised;
}

const findEndedSession = compileOnce((db, id: string) =>
  db
    .selectFrom("latchkey_sessions")
    .select("id")
    .where("id", "=", id)
    .where("ended_at", "is not", null),
);

/** Returns whether a session was ended before its token expires. */
export const hasSessionEnded = async (db: Db, id: string): Promise<boolean> =>
  (await findEndedSession(db, id)).length > 0;

/** Ends every session of every user, and returns the number of users. */
export const endAllSessions = (db: Db, before: number): Promise<number> =>
  runTransaction(db, async (trx) => {
    const current = sql<number>`coalesce(sessions_from, 0)`;
    await trx
      .updateTable("latchkey_users")
      .set({
        sessions_from: sql<number>`CASE WHEN ${current} < ${before} THEN ${before}
          ELSE ${current} + 1 END`,
      })
      .execute();
    await trx.deleteFrom("latchkey_sessions").where("ended_at", "is", null).execute();
    const { users } = await trx
      .selectFrom("latchkey_users")
      .select((eb) => eb.fn.countAll<number | string>().as("users"))
      .executeTakeFirstOrThrow();
    return Number(users);
  });
