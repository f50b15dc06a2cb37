import { compileOnce, type Db, runTransaction, type TableRow, toStableLimit } from "../database.ts";
import type { SignOut, UserId } from "../records.ts";
import { toRecord } from "../rows.ts";
import { tables } from "../tables.ts";
import { removeGrantsById } from "./grants.ts";

const toSignOut = (row: TableRow<typeof tables.sign_outs>): SignOut =>
  toRecord(tables.sign_outs, row);

/** Lists sign-outs whose grant was valid when they were last checked, in the order of their IDs. */
export async function listOpenSignOuts(
  db: Db,
  afterId: string,
  limit: number,
): Promise<readonly SignOut[]> {
  const rows = await db
    .selectFrom("latchkey_sign_outs")
    .selectAll()
    .where("ended_at", "is", null)
    .where("id", ">", afterId)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toSignOut);
}

/**
 * Notes that the grants have ended, so that their apps are told, and removes the grants: an app is
 * told once, so an account that the app admits again must get another grant.
 */
export async function endSignOuts(db: Db, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await runTransaction(db, async (trx) => {
    await removeGrantsById(trx, ids);
    await trx
      .updateTable("latchkey_sign_outs")
      .set({ ended_at: at.getTime(), due_at: at.getTime() })
      .where("id", "in", ids)
      .where("ended_at", "is", null)
      .execute();
  });
}

/**
 * Claims sign-outs that are due, and puts their next request off to `again`. Of concurrent callers,
 * only one gets each of them.
 */
export const claimDueSignOuts = (
  db: Db,
  now: Date,
  again: Date,
  limit: number,
): Promise<readonly SignOut[]> =>
  runTransaction(db, async (trx) => {
    const due = await trx
      .selectFrom("latchkey_sign_outs")
      .selectAll()
      .where("due_at", "<=", now.getTime())
      .orderBy("due_at")
      .orderBy("id")
      .limit(limit)
      .execute();
    if (due.length === 0) return [];
    await trx
      .updateTable("latchkey_sign_outs")
      .set({ due_at: again.getTime() })
      .where(
        "id",
        "in",
        due.map(({ id }) => id),
      )
      .execute();
    return due.map(toSignOut);
  });

/** Notes the outcome of a request. Without `dueAt`, no other request follows. */
export async function noteSignOut(
  db: Db,
  id: string,
  outcome: {
    readonly tries: number;
    readonly dueAt?: Date | undefined;
    readonly acknowledgedAt?: Date | undefined;
    readonly problem?: string | undefined;
  },
): Promise<void> {
  await db
    .updateTable("latchkey_sign_outs")
    .set({
      tries: outcome.tries,
      due_at: outcome.dueAt?.getTime() ?? null,
      acknowledged_at: outcome.acknowledgedAt?.getTime() ?? null,
      problem: outcome.problem ?? null,
    })
    .where("id", "=", id)
    .execute();
}

const selectEnded = (db: Db, limit: number) =>
  db
    .selectFrom("latchkey_sign_outs")
    .selectAll()
    .where("ended_at", "is not", null)
    .orderBy("ended_at", "desc")
    .orderBy("id")
    .limit(toStableLimit(limit));

const listRowsOfApp = compileOnce((db, appId: string, limit: number) =>
  selectEnded(db, limit).where("app_id", "=", appId),
);

const listRowsOfUser = compileOnce((db, userId: UserId, limit: number) =>
  selectEnded(db, limit).where("user_id", "=", userId),
);

/** Lists the sign-outs of an app, or of a user, that apps were or will be told, newest first. */
export async function listSignOuts(
  db: Db,
  of: { readonly appId: string } | { readonly userId: UserId },
  limit: number,
): Promise<readonly SignOut[]> {
  const rows =
    "appId" in of
      ? await listRowsOfApp(db, of.appId, limit)
      : await listRowsOfUser(db, of.userId, limit);
  return rows.map(toSignOut);
}
