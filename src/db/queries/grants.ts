import { compileOnce, type Db, runTransaction, type TableRow } from "../database.ts";
import type { App, Grant, SignOut, StoredUser, UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { findApp } from "./apps.ts";
import { removeExpired } from "./expired.ts";
import { toUser, userExists } from "./users.ts";

/** Contains a grant whose account, sign-in and session have not ended, with app and account. */
export interface CurrentGrant {
  readonly grant: Grant;
  readonly app: App;
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
 * Inserts a grant, with the message that its app gets at its end, if it gets any. Removes some
 * expired grants. Returns whether app and account exist.
 */
export const insertGrant = (db: Db, grant: Grant, signOut: SignOut | undefined): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    if (!(await userExists(trx, grant.userId))) return false;
    if ((await findApp(trx, grant.appId)) === undefined) return false;
    await removeExpired(trx, "latchkey_grants", grant.createdAt);
    await trx.insertInto("latchkey_grants").values(toRow(tables.grants, grant)).execute();
    if (signOut !== undefined) {
      await removeExpired(trx, "latchkey_sign_outs", grant.createdAt);
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

const findGrantRow = compileOnce((db, id: string) =>
  db.selectFrom("latchkey_grants").selectAll().where("id", "=", id),
);

/**
 * Selects what decides whether a grant is valid, in one row. A session without a row has not ended:
 * its row may still wait to be written.
 */
const findStateRow = compileOnce((db, id: string) =>
  db
    .selectFrom("latchkey_grants")
    .innerJoin("latchkey_users", "latchkey_users.id", "latchkey_grants.user_id")
    .leftJoin("latchkey_sessions", "latchkey_sessions.id", "latchkey_grants.session_id")
    .where("latchkey_grants.id", "=", id)
    .selectAll("latchkey_users")
    .select("latchkey_sessions.ended_at"),
);

/** Finds a grant with its app and account, unless account, sign-in, session or app have ended. */
export async function findCurrentGrant(
  db: Db,
  id: string,
  now: Date,
): Promise<CurrentGrant | undefined> {
  const [row] = await findGrantRow(db, id);
  if (row === undefined) return undefined;
  const grant = toGrant(row);
  const [[state], app] = await Promise.all([findStateRow(db, id), findApp(db, grant.appId)]);
  if (state === undefined || app === undefined) return undefined;
  const { ended_at: endedAt, ...userRow } = state;
  const user = toUser(userRow);
  const hasSessionEnded = grant.offline === undefined && endedAt !== null;
  const hasSignInEnded = (user.sessionsFrom ?? 0) > grant.validUpTo;
  const hasAccountEnded = user.endsAt !== undefined && !(user.endsAt > now);
  if (hasSessionEnded || hasSignInEnded || hasAccountEnded || !(grant.expiresAt > now)) {
    return undefined;
  }
  return { grant, app, user };
}

/** Finds the newest grant of a session for an app, even if it has ended. */
export async function findGrantOfSession(
  db: Db,
  sessionId: string,
  appId: string,
): Promise<Grant | undefined> {
  const row = await db
    .selectFrom("latchkey_grants")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("app_id", "=", appId)
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && toGrant(row);
}

/** Lists grants, newest first, even those that have ended. */
export async function listGrants(
  db: Db,
  filter: GrantFilter,
  limit: number,
): Promise<readonly Grant[]> {
  let query = db.selectFrom("latchkey_grants").selectAll();
  if (filter.id !== undefined) query = query.where("id", "=", filter.id);
  if (filter.sessionId !== undefined) query = query.where("session_id", "=", filter.sessionId);
  if (filter.appId !== undefined) query = query.where("app_id", "=", filter.appId);
  if (filter.userId !== undefined) query = query.where("user_id", "=", filter.userId);
  const rows = await query.orderBy("created_at", "desc").orderBy("id").limit(limit).execute();
  return rows.map(toGrant);
}

/** Lists the grants of a user that are valid, newest first. */
export async function listCurrentGrants(
  db: Db,
  userId: UserId,
  now: Date,
  limit: number,
): Promise<readonly Grant[]> {
  const rows = await db
    .selectFrom("latchkey_grants")
    .innerJoin("latchkey_users", "latchkey_users.id", "latchkey_grants.user_id")
    .leftJoin("latchkey_sessions", "latchkey_sessions.id", "latchkey_grants.session_id")
    .where("latchkey_grants.user_id", "=", userId)
    .where("latchkey_grants.expires_at", ">", now.getTime())
    .where((eb) =>
      eb.or([
        eb("latchkey_grants.offline", "is not", null),
        eb("latchkey_sessions.ended_at", "is", null),
      ]),
    )
    .where((eb) =>
      eb.or([
        eb("latchkey_users.sessions_from", "is", null),
        eb("latchkey_users.sessions_from", "<=", eb.ref("latchkey_grants.valid_up_to")),
      ]),
    )
    .selectAll("latchkey_grants")
    .orderBy("latchkey_grants.created_at", "desc")
    .orderBy("latchkey_grants.id")
    .limit(limit)
    .execute();
  return rows.map(toGrant);
}

/** Ends grants with all their codes and tokens. Returns how many grants there were. */
export const removeGrants = (db: Db, filter: GrantFilter): Promise<number> =>
  runTransaction(db, async (trx) => {
    let query = trx.deleteFrom("latchkey_grants");
    if (filter.id !== undefined) query = query.where("id", "=", filter.id);
    if (filter.sessionId !== undefined) query = query.where("session_id", "=", filter.sessionId);
    if (filter.appId !== undefined) query = query.where("app_id", "=", filter.appId);
    if (filter.userId !== undefined) query = query.where("user_id", "=", filter.userId);
    const removed = await query.returning("id").execute();
    if (removed.length === 0) return 0;
    const ids = removed.map(({ id }) => id);
    await trx.deleteFrom("latchkey_tokens").where("grant_id", "in", ids).execute();
    return ids.length;
  });
