import { compileOnce, type Db, runTransaction, type TableRow, toStableLimit } from "../database.ts";
import type { Grant, SignOut, StoredUser, UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { findApp } from "./apps.ts";
import { toUser, userExists } from "./users.ts";

/** Contains a grant whose account, sign-in and session have not ended, with its account. */
export interface CurrentGrant {
  readonly grant: Grant;
  readonly user: StoredUser;
}

/** Selects the grants to remove or to list: one grant, or those of a session, an app or a user. */
export interface GrantFilter {
  readonly id?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly appId?: string | undefined;
  readonly userId?: UserId | undefined;
}

const toGrant = (row: TableRow<typeof tables.grants>): Grant => toRecord(tables.grants, row);

/**
 * Inserts a grant, with the message that its app gets at its end, if it gets any. Returns whether
 * app and account exist.
 */
export const insertGrant = (db: Db, grant: Grant, signOut: SignOut | undefined): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    if (!(await userExists(trx, grant.userId))) return false;
    if ((await findApp(trx, grant.appId)) === undefined) return false;
    await trx.insertInto("latchkey_grants").values(toRow(tables.grants, grant)).execute();
    if (signOut !== undefined) {
      await trx.insertInto("latchkey_sign_outs").values(toRow(tables.sign_outs, signOut)).execute();
    }
    return true;
  });

/** Replaces what the app of a grant may learn. Returns whether the grant exists. */
export async function setGrantContent(db: Db, id: string, content: string): Promise<boolean> {
  const changed = await db
    .updateTable("latchkey_grants")
    .set({ content })
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return changed !== undefined;
}

/** Selects grants with what decides whether they are valid. */
const selectStates = (db: Db) =>
  db
    .selectFrom("latchkey_grants")
    .innerJoin("latchkey_users", "latchkey_users.id", "latchkey_grants.user_id")
    .leftJoin("latchkey_sessions", "latchkey_sessions.id", "latchkey_grants.session_id")
    .selectAll("latchkey_grants")
    .select(["username", "password_hash", "sessions_from", "groups", "ends_at"])
    .select("latchkey_sessions.ended_at");

const findStateRow = compileOnce((db, id: string) =>
  selectStates(db).where("latchkey_grants.id", "=", id),
);

type StateRow = Awaited<ReturnType<typeof findStateRow>>[number];

/**
 * Returns the grant of a row, unless its session, its sign-in, its account or the grant itself has
 * ended. A session without a row has not ended: its row may still wait to be written.
 */
function toCurrentGrant(row: StateRow, now: Date): CurrentGrant | undefined {
  const grant = toGrant(row);
  const user = toUser({ ...row, id: row.user_id });
  const hasSessionEnded = grant.offline === undefined && row.ended_at !== null;
  const hasSignInEnded = (user.sessionsFrom ?? 0) > grant.validUpTo;
  const hasAccountEnded = user.endsAt !== undefined && !(user.endsAt > now);
  const hasEnded = hasSessionEnded || hasSignInEnded || hasAccountEnded || !(grant.expiresAt > now);
  return hasEnded ? undefined : { grant, user };
}

/** Finds a grant with its account, in one statement, unless account, sign-in or session have ended. */
export async function findCurrentGrant(
  db: Db,
  id: string,
  now: Date,
): Promise<CurrentGrant | undefined> {
  const [row] = await findStateRow(db, id);
  return row && toCurrentGrant(row, now);
}

/** Finds those of the grants whose account, sign-in and session have not ended. */
export async function findCurrentGrants(
  db: Db,
  ids: readonly string[],
  now: Date,
): Promise<readonly CurrentGrant[]> {
  if (ids.length === 0) return [];
  const rows = await selectStates(db).where("latchkey_grants.id", "in", ids).execute();
  return rows.flatMap((row) => toCurrentGrant(row, now) ?? []);
}

const listStateRows = compileOnce((db, userId: UserId, now: number, limit: number) =>
  selectStates(db)
    .where("latchkey_grants.user_id", "=", userId)
    .where("latchkey_grants.expires_at", ">", now)
    .orderBy("latchkey_grants.created_at", "desc")
    .orderBy("latchkey_grants.id")
    .limit(toStableLimit(limit)),
);

/** Lists those of the newest grants of a user whose session and sign-in have not ended. */
export async function listCurrentGrants(
  db: Db,
  userId: UserId,
  now: Date,
  limit: number,
): Promise<readonly Grant[]> {
  const rows = await listStateRows(db, userId, now.getTime(), limit);
  return rows.flatMap((row) => toCurrentGrant(row, now)?.grant ?? []);
}

const findRowOfSession = compileOnce((db, sessionId: string, appId: string, limit: number) =>
  db
    .selectFrom("latchkey_grants")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("app_id", "=", appId)
    .orderBy("created_at", "desc")
    .limit(limit),
);

/** Finds the newest grant of a session for an app, even if it has ended. */
export async function findGrantOfSession(
  db: Db,
  sessionId: string,
  appId: string,
): Promise<Grant | undefined> {
  const [row] = await findRowOfSession(db, sessionId, appId, 1);
  return row && toGrant(row);
}

/** Lists grants, newest first, even those that have ended. */
export async function listGrants(
  db: Db,
  filter: GrantFilter,
  limit: number,
): Promise<readonly Grant[]> {
  const query = selectGrants(db, filter).selectAll();
  const rows = await query.orderBy("created_at", "desc").orderBy("id").limit(limit).execute();
  return rows.map(toGrant);
}

/** Contains what a new session of the same browser changes in its grants. */
export type MovedGrants = Pick<Grant, "validUpTo" | "factors" | "expiresAt"> & {
  readonly sessionId: string;
};

/**
 * Moves the valid grants of a session to the session that replaces it, so that a person who signs in
 * again stays signed in to all apps.
 */
export const moveGrants = (
  db: Db,
  fromSessionId: string,
  userId: UserId,
  { sessionId, validUpTo, factors, expiresAt }: MovedGrants,
  now: Date,
): Promise<void> =>
  runTransaction(db, async (trx) => {
    const rows = await selectStates(trx)
      .where("latchkey_grants.session_id", "=", fromSessionId)
      .where("latchkey_grants.user_id", "=", userId)
      .execute();
    for (const row of rows) {
      const found = toCurrentGrant(row, now);
      if (found === undefined) continue;
      const { id, offline, expiresAt: ownExpiresAt } = found.grant;
      const until = offline === undefined ? expiresAt : ownExpiresAt;
      await trx
        .updateTable("latchkey_grants")
        .set({
          session_id: sessionId,
          valid_up_to: validUpTo,
          factors,
          expires_at: until.getTime(),
        })
        .where("id", "=", id)
        .execute();
    }
  });

/**
 * Ends grants with all their codes and tokens. Returns how many grants there were.
 *
 * @throws If the filter selects nothing in particular, since that would end every grant.
 */
export const removeGrants = (db: Db, filter: GrantFilter): Promise<number> =>
  runTransaction(db, async (trx) => {
    if (Object.values(filter).every((value) => value === undefined))
      throw new Error("a removal of grants needs a filter");
    const selected = selectGrants(trx, filter);
    // A subquery, since a statement takes only some thousands of IDs as parameters.
    await trx
      .deleteFrom("latchkey_tokens")
      .where("grant_id", "in", selected.select("id"))
      .execute();
    const removed = await trx
      .deleteFrom("latchkey_grants")
      .where("id", "in", selected.select("id"))
      .returning("id")
      .execute();
    return removed.length;
  });

/** Ends these grants with all their codes and tokens. */
export async function removeGrantsById(trx: Db, ids: readonly string[]): Promise<void> {
  await trx.deleteFrom("latchkey_tokens").where("grant_id", "in", ids).execute();
  await trx.deleteFrom("latchkey_grants").where("id", "in", ids).execute();
}

function selectGrants(db: Db, { id, sessionId, appId, userId }: GrantFilter) {
  let query = db.selectFrom("latchkey_grants");
  if (id !== undefined) query = query.where("id", "=", id);
  if (sessionId !== undefined) query = query.where("session_id", "=", sessionId);
  if (appId !== undefined) query = query.where("app_id", "=", appId);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  return query;
}
