import { compileOnce, type Db, runTransaction, type TableRow, toStableLimit } from "../database.ts";
import {
  type FoundUser,
  type Handoff,
  type Session,
  USE_PRECISION_MS,
  type UserId,
} from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { removeExpired } from "./expired.ts";
import { findUser, selectUsers, toFoundUser, userExists } from "./users.ts";

const toSession = (row: TableRow<typeof tables.sessions>): Session =>
  toRecord(tables.sessions, row);

/**
 * Inserts a session unless its ID exists. Removes some sessions that expired before this session
 * began.
 */
export async function insertSession(db: Db, session: Session): Promise<void> {
  await removeExpired(db, "latchkey_sessions", session.createdAt);
  await db
    .insertInto("latchkey_sessions")
    .values(toRow(tables.sessions, session))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** Finds a session by its ID, unless the session has ended. */
export async function findSession(db: Db, id: string): Promise<Session | undefined> {
  const row = await db
    .selectFrom("latchkey_sessions")
    .selectAll()
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return row && toSession(row);
}

const listSessionRows = compileOnce((db, userId: UserId, now: number, limit: number) =>
  db
    .selectFrom("latchkey_sessions")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .where("ended_at", "is", null)
    .orderBy("used_at", "desc")
    .orderBy("id")
    .limit(toStableLimit(limit)),
);

/** Lists the sessions of a user that have neither ended nor expired, most recently used first. */
export const listSessions = async (
  db: Db,
  userId: UserId,
  now: Date,
  limit: number,
): Promise<readonly Session[]> =>
  (await listSessionRows(db, userId, now.getTime(), limit)).map(toSession);

/** Records the use of the sessions whose last recorded use is at least an hour earlier. */
export async function noteSessionsUsed(db: Db, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable("latchkey_sessions")
    .set({ used_at: at.getTime() })
    .where("id", "in", ids)
    .where("used_at", "<=", at.getTime() - USE_PRECISION_MS)
    .execute();
}

/** Ends a session, even if it was never inserted. Returns whether this call ended the session. */
export const endSession = (db: Db, session: Session, at: Date): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    if (!(await userExists(trx, session.userId))) return false;
    const endedAt = at.getTime();
    const ended = await trx
      .insertInto("latchkey_sessions")
      .values({ ...toRow(tables.sessions, session), ended_at: endedAt })
      .onConflict((conflict) =>
        conflict
          .column("id")
          .doUpdateSet({ ended_at: endedAt })
          .where("latchkey_sessions.ended_at", "is", null)
          .where("latchkey_sessions.user_id", "=", session.userId),
      )
      .returning("id")
      .executeTakeFirst();
    return ended !== undefined;
  });

const findSessionUserRow = compileOnce((db, user: UserId, id: string) =>
  selectUsers(db)
    .where("latchkey_users.id", "=", user)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("latchkey_sessions")
            .select("latchkey_sessions.id")
            .where("latchkey_sessions.id", "=", id)
            .where("latchkey_sessions.ended_at", "is not", null),
        ),
      ),
    ),
);

/** Finds the user of a session in one statement, unless the session was ended before its expiry. */
export async function findSessionUser(
  db: Db,
  id: string | undefined,
  user: UserId,
): Promise<FoundUser | undefined> {
  if (id === undefined) return findUser(db, user);
  const [row] = await findSessionUserRow(db, user, id);
  return row && toFoundUser(row);
}

/** Inserts a handoff of a session to another host. Removes some expired handoffs. */
export async function insertHandoff(db: Db, handoff: Handoff, now: Date): Promise<void> {
  await removeExpired(db, "latchkey_handoffs", now);
  await db.insertInto("latchkey_handoffs").values(toRow(tables.handoffs, handoff)).execute();
}

/**
 * Removes a handoff, expired or not, and returns it. Of concurrent callers, only one gets the
 * handoff.
 */
export async function takeHandoff(db: Db, id: string): Promise<Handoff | undefined> {
  const query = db.deleteFrom("latchkey_handoffs").where("id", "=", id).returningAll();
  const row = await query.executeTakeFirst();
  return row && toRecord(tables.handoffs, row);
}
