import { randomUUID } from "node:crypto";
import type { LogFilter, LogPruner, LogReader } from "../../core/log/log-reader.ts";
import type { NewLogEntry, Store } from "../../core/store.ts";
import { EARLIEST_ENTRIES, logEntryOf } from "../rows.ts";
import type { Ask } from "./query.ts";
import { EQ, GT, GTE, LT, LTE, MINUS, PLUS, type TableName, type Tables } from "./tables.ts";

type PostgresLog = LogReader & LogPruner & Pick<Store, "insertLogEntries">;

const COLUMNS = "id, at, type, summary, author, user_id";

/** The methods for the audit log. */
export function logOn(ask: Ask, tables: Tables): PostgresLog {
  const { log } = tables;
  const keys = new WeakMap<NewLogEntry, string>();

  return {
    async insertLogEntries(entries) {
      const keyOf = (entry: NewLogEntry): string => {
        const key = keys.get(entry) ?? randomUUID();
        keys.set(entry, key);
        return key;
      };
      await insertEntries(ask, tables, entries, keyOf);
    },

    async readLogEntries({ afterId, limit, ...filter }) {
      const { where, values } = filterOf(log, filter, [afterId, limit]);
      const text = `SELECT ${COLUMNS} FROM ${log}
        WHERE id ${GT} $1 ${where} ORDER BY id LIMIT $2`;
      return (await ask(text, values)).map(logEntryOf);
    },

    async startOfNewest(limit, filter) {
      const { where, values } = filterOf(log, filter, [limit]);
      const text = `SELECT id FROM ${log} WHERE id ${GT} 0 ${where}
        ORDER BY id DESC LIMIT 1 OFFSET $1`;
      const [row] = await ask(text, values);
      return Number(row?.id ?? 0);
    },

    async readNewestEntriesOf(user, limit) {
      const text = `SELECT ${COLUMNS} FROM ${log} WHERE user_id ${EQ} $1 ORDER BY id DESC LIMIT $2`;
      return (await ask(text, [user, limit])).map(logEntryOf);
    },

    async pruneLogEntries(before, limit) {
      const text = `DELETE FROM ${log} WHERE id ${EQ} ANY (
          SELECT id FROM ${log} WHERE at ${LT} $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
        ) RETURNING id`;
      return (await ask(text, [before, limit])).length;
    },

    async pruneLogEntriesOf(type, keep, limit) {
      const text = `DELETE FROM ${log} WHERE id ${EQ} ANY (
          SELECT id FROM ${log} WHERE type ${EQ} $1 AND id ${LTE} (
            SELECT id FROM ${log} WHERE type ${EQ} $1 ORDER BY id DESC LIMIT 1 OFFSET $2
          ) ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
        ) RETURNING id`;
      return (await ask(text, [type, keep, limit])).length;
    },
  };
}

/**
 * Inserts entries with the next IDs. Each carries a key that the writer chose, so that an entry that
 * is sent again is inserted once.
 */
export async function insertEntries(
  ask: Ask,
  { log, logEnd }: Tables,
  entries: readonly NewLogEntry[],
  keyOf: (entry: NewLogEntry) => string,
): Promise<void> {
  if (entries.length === 0) return;
  await ask(
    `WITH log_end AS (
       UPDATE ${logEnd} SET id = id ${PLUS} $1
       RETURNING id ${MINUS} $1 AS start
     )
     INSERT INTO ${log} (id, key, at, type, summary, author, user_id)
     SELECT start ${PLUS} place, key, at, type, summary, author, user_id
     FROM log_end, ROWS FROM (
       pg_catalog.unnest($2::pg_catalog.uuid[]), pg_catalog.unnest($3::pg_catalog.timestamptz[]),
       pg_catalog.unnest($4::pg_catalog.text[]), pg_catalog.unnest($5::pg_catalog.text[]),
       pg_catalog.unnest($6::pg_catalog.text[]), pg_catalog.unnest($7::pg_catalog.text[])
     ) WITH ORDINALITY AS entry (key, at, type, summary, author, user_id, place)
     ON CONFLICT (key) DO NOTHING`,
    [
      entries.length,
      entries.map(keyOf),
      entries.map(({ at }) => at.toISOString()),
      entries.map(({ type }) => type),
      entries.map(({ summary }) => summary),
      entries.map(({ author }) => author),
      entries.map(({ userId }) => userId ?? null),
    ],
  );
}

/** Starts at the lowest ID among the earliest matching entries instead of scanning all older ones. */
const sinceOf = (log: TableName, since: string): string =>
  `AND at ${GTE} ${since} AND id ${GTE} (SELECT pg_catalog.min(id) FROM
     (SELECT id FROM ${log} WHERE at ${GTE} ${since} ORDER BY at LIMIT ${EARLIEST_ENTRIES})
     AS earliest)`;

function filterOf(
  log: TableName,
  { type, since }: LogFilter,
  before: readonly unknown[],
): { where: string; values: readonly unknown[] } {
  const values = [...before];
  const conditions: string[] = [];
  if (type !== undefined) conditions.push(`AND type ${EQ} $${values.push(type)}`);
  if (since !== undefined) conditions.push(sinceOf(log, `$${values.push(since)}`));
  return { where: conditions.join(" "), values };
}
