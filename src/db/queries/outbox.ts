import { type Db, runTransaction, type TableRow } from "../database.ts";
import type { Delivery, Link } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { removeExpired } from "./expired.ts";
import { countMailedLinks, insertLink } from "./links.ts";

const toDelivery = (row: TableRow<typeof tables.outbox>): Delivery => toRecord(tables.outbox, row);

/**
 * Inserts a delivery, with the one-time link that the message contains. A delivery with this ID is
 * inserted once. An account has at most one link to confirm an address, so an earlier one ends.
 */
export const insertDelivery = (db: Db, delivery: Delivery, link?: Link): Promise<void> =>
  runTransaction(db, async (trx) => {
    const inserted = await trx
      .insertInto("latchkey_outbox")
      .values(toRow(tables.outbox, delivery))
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (inserted === undefined || link === undefined) return;
    if (link.purpose === "confirm-email" && link.userId !== undefined) {
      await trx
        .deleteFrom("latchkey_links")
        .where("user_id", "=", link.userId)
        .where("purpose", "=", link.purpose)
        .execute();
    }
    await insertLink(trx, link);
  });

/** Says whether a delivery was replaced. It is `gone` if another instance was first. */
export type ReplaceOutcome = "replaced" | "gone" | "too-many";

/**
 * Replaces a delivery by the message that follows from it, with the link that the message contains.
 * Changes nothing if the account has `maxLinks` such links already: the transaction counts them, so
 * that requests at the same moment cannot get more.
 */
export const replaceDelivery = (
  db: Db,
  id: string,
  delivery: Delivery,
  link: Link,
  maxLinks: number,
): Promise<ReplaceOutcome> =>
  runTransaction(db, async (trx) => {
    if ((await countMailedLinks(trx, link, delivery.createdAt)) >= maxLinks) return "too-many";
    const removed = await trx
      .deleteFrom("latchkey_outbox")
      .where("id", "=", id)
      .returning("id")
      .executeTakeFirst();
    if (removed === undefined) return "gone";
    await insertDelivery(trx, delivery, link);
    return "replaced";
  });

/**
 * Claims deliveries that are due, and puts their next attempt off to `again`. Of concurrent callers,
 * only one gets each of them.
 */
export const claimDueDeliveries = (
  db: Db,
  now: Date,
  again: Date,
  limit: number,
): Promise<readonly Delivery[]> =>
  runTransaction(db, async (trx) => {
    const due = await trx
      .selectFrom("latchkey_outbox")
      .selectAll()
      .where("due_at", "<=", now.getTime())
      .orderBy("due_at")
      .orderBy("id")
      .limit(limit)
      .execute();
    if (due.length === 0) return [];
    const ids = due.map(({ id }) => id);
    await trx
      .updateTable("latchkey_outbox")
      .set({ due_at: again.getTime() })
      .where("id", "in", ids)
      .execute();
    return due.map(toDelivery);
  });

/**
 * Notes the outcome of an attempt. Without `dueAt`, no other attempt follows, and the content is
 * removed.
 */
export async function noteDelivery(
  db: Db,
  id: string,
  outcome: {
    readonly tries: number;
    readonly dueAt?: Date | undefined;
    readonly sentAt?: Date | undefined;
    readonly problem?: string | undefined;
  },
): Promise<void> {
  await db
    .updateTable("latchkey_outbox")
    .set({
      tries: outcome.tries,
      due_at: outcome.dueAt?.getTime() ?? null,
      sent_at: outcome.sentAt?.getTime() ?? null,
      problem: outcome.problem ?? null,
      ...(outcome.dueAt === undefined && { content: null }),
    })
    .where("id", "=", id)
    .execute();
}

/** Counts the deliveries that wait for an attempt, and says since when the first of them waits. */
export async function readOutboxState(
  db: Db,
): Promise<{ readonly waiting: number; readonly oldest: Date | undefined }> {
  const { waiting, oldest } = await db
    .selectFrom("latchkey_outbox")
    .select((eb) => [
      eb.fn.countAll<number>().as("waiting"),
      eb.fn.min<number | null>("created_at").as("oldest"),
    ])
    .where("due_at", "is not", null)
    .executeTakeFirstOrThrow();
  return {
    waiting: Number(waiting),
    oldest: oldest === null ? undefined : new Date(Number(oldest)),
  };
}

/** Removes some deliveries that have expired by this time, and returns their number. */
export const removeExpiredDeliveries = (db: Db, by: Date): Promise<number> =>
  removeExpired(db, "latchkey_outbox", by);
