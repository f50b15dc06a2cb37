import type { SelectQueryBuilder } from "kysely";
import { compileOnce, type Db, type Schema, type TableRow, toStableLimit } from "../database.ts";
import { type LogEntry, MAX_WAITING_ENTRIES, type UserId } from "../records.ts";
import { toRecord } from "../rows.ts";
import { tables } from "../tables.ts";

/**
 * Describes the entry to search for. An entry matches if it agrees in everything except the time.
 */
export interface SoughtEntry {
  readonly userId: UserId;
  readonly type: string;
  readonly address?: string | undefined;
  readonly device?: string | undefined;
  readonly at: Date;
}

export interface LogFilter {
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

export interface LogQuery extends LogFilter {
  readonly afterId: number;
  readonly limit: number;
}

export interface NewestQuery extends LogFilter {
  /** If set, the query returns only entries that concern this user. */
  readonly userId?: UserId | undefined;
  /** If set, the query returns only entries of these types. */
  readonly types?: readonly string[] | undefined;
  /**
   * If set, the query returns only entries with this subject. Needs `types`, and covers the newest
   * 10,000 entries of each: no index has the subject, which can be longer than one allows.
   */
  readonly subject?: string | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/**
 * The search for the lowest ID covers this many of the earliest entries since a time. Entries are
 * written nearly in the order of their times, since an instance holds back fewer entries than this.
 */
const EARLIEST_ENTRIES = MAX_WAITING_ENTRIES + 1;

/** The search for a subject covers this many of the newest entries of a type. */
const MAX_SEARCHED_SUBJECTS = 10_000;

const toEntry = (row: TableRow<typeof tables.log>): LogEntry => toRecord(tables.log, row);

type EntryQuery = SelectQueryBuilder<Schema, "latchkey_log", TableRow<typeof tables.log>>;

/** Lists the matching entries after an ID, oldest first. */
export async function listEntries(
  db: Db,
  { afterId, limit, ...filter }: LogQuery,
): Promise<readonly LogEntry[]> {
  const entries = db.selectFrom("latchkey_log").selectAll().where("id", ">", afterId);
  const query = filterEntries(db, entries, filter).orderBy("id").limit(limit);
  return (await query.execute()).map(toEntry);
}

/** Lists the rows for the home page. */
const listNewestUserRows = compileOnce((db, beforeId: number, userId: UserId, limit: number) =>
  db
    .selectFrom("latchkey_log")
    .selectAll()
    .where("id", "<", beforeId)
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .limit(toStableLimit(limit)),
);

/** Lists the matching entries, newest first. */
export async function listNewestEntries(
  db: Db,
  { userId, types, subject, beforeId = Number.MAX_SAFE_INTEGER, limit, ...filter }: NewestQuery,
): Promise<readonly LogEntry[]> {
  const isFiltered = types !== undefined || filter.type !== undefined || filter.since !== undefined;
  if (userId !== undefined && !isFiltered)
    return (await listNewestUserRows(db, beforeId, userId, limit)).map(toEntry);
  let entries = db.selectFrom("latchkey_log").selectAll().where("id", "<", beforeId);
  if (userId !== undefined) entries = entries.where("user_id", "=", userId);
  if (types !== undefined) {
    // The newest entries of each type come from the index. The database would otherwise sort all.
    const searched = subject === undefined ? limit : MAX_SEARCHED_SUBJECTS;
    const newest = types.map((type) => {
      const ofType = db
        .selectFrom(
          entries.where("type", "=", type).orderBy("id", "desc").limit(searched).as("of_type"),
        )
        .select("id");
      return subject === undefined ? ofType : ofType.where("subject", "=", subject);
    });
    const [first, ...others] = newest;
    if (first === undefined) return [];
    const all = others.reduce((union, next) => union.unionAll(next), first);
    entries = entries.where("id", "in", all);
  }
  const query = filterEntries(db, entries, filter).orderBy("id", "desc").limit(limit);
  return (await query.execute()).map(toEntry);
}

function filterEntries(db: Db, query: EntryQuery, { type, since }: LogFilter): EntryQuery {
  let filtered = query;
  if (type !== undefined) filtered = filtered.where("type", "=", type);
  if (since === undefined) return filtered;
  // The query starts at the lowest ID among the earliest matching entries, instead of scanning all
  // older entries.
  const earliest = db
    .selectFrom("latchkey_log")
    .select("id")
    .where("at", ">=", since.getTime())
    .orderBy("at")
    .limit(EARLIEST_ENTRIES)
    .as("earliest");
  return filtered
    .where("at", ">=", since.getTime())
    .where("id", ">=", (eb) => eb.selectFrom(earliest).select((e) => e.fn.min("id").as("first")));
}

/** The search for a matching entry covers this many of the newest entries of a user and a type. */
const MAX_SEARCHED = 1_000;

/** Returns whether one of the user's newest entries matches this one and has an earlier time. */
export async function hasEarlierEntry(
  db: Db,
  { userId, type, address, device, at }: SoughtEntry,
): Promise<boolean> {
  const newest = db
    .selectFrom("latchkey_log")
    .select(["address", "device", "at"])
    .where("user_id", "=", userId)
    .where("type", "=", type)
    .orderBy("id", "desc")
    .limit(MAX_SEARCHED)
    .as("newest");
  const found = await db
    .selectFrom(newest)
    .select("at")
    .where("address", "is not distinct from", address ?? null)
    .where("device", "is not distinct from", device ?? null)
    .where("at", "<", at.getTime())
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Removes at most `limit` entries older than `before`, and returns the number of removed entries.
 */
export async function pruneEntries(db: Db, before: Date, limit: number): Promise<number> {
  const removed = await db
    .deleteFrom("latchkey_log")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("latchkey_log")
        .select("id")
        .where("at", "<", before.getTime())
        .orderBy("at")
        .limit(limit),
    )
    .returning("id")
    .execute();
  return removed.length;
}

/**
 * Removes the oldest entries of a type, at most `limit`, and keeps the newest `keep` entries of the
 * type.
 */
export async function pruneEntriesOfType(
  db: Db,
  type: string,
  keep: number,
  limit: number,
): Promise<number> {
  const removed = await db
    .deleteFrom("latchkey_log")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("latchkey_log")
        .select("id")
        .where("type", "=", type)
        .where("id", "<=", (newest) =>
          newest
            .selectFrom("latchkey_log")
            .select("id")
            .where("type", "=", type)
            .orderBy("id", "desc")
            .limit(1)
            .offset(keep),
        )
        .orderBy("id")
        .limit(limit),
    )
    .returning("id")
    .execute();
  return removed.length;
}
