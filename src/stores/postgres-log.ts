import { randomUUID } from "node:crypto";
import { MOST_WAITING } from "../core/event-log.ts";
import type { LogFilter, LogPruner, LogReader, NewLogEntry, Store } from "../core/store.ts";
import type { Ask, PostgresQuery } from "./postgres-query.ts";
import { logEntryOf } from "./rows.ts";

export type PostgresLog = LogReader & LogPruner & Pick<Store, "insertLogEntries">;

/** The part of the store that keeps the log. */
export function logOn(ask: Ask): PostgresLog {
  const keys = new WeakMap<NewLogEntry, string>();

  return {
    async insertLogEntries(entries) {
      if (entries.length === 0) return;
      const keyOf = (entry: NewLogEntry): string => {
        const key = keys.get(entry) ?? randomUUID();
        keys.set(entry, key);
        return key;
      };
      await ask(logInsert(entries, keyOf));
    },

    async readLogEntries({ afterId, limit, ...filter }) {
      const { where, values } = filterOf(filter, [afterId, limit]);
      const rows = await ask({
        text: `SELECT id, at, type, summary, author FROM latchkey_log
               WHERE id > $1 ${where} ORDER BY id LIMIT $2`,
        values,
      });
      return rows.map(logEntryOf);
    },

    async startOfNewest(limit, filter) {
      const { where, values } = filterOf(filter, [limit]);
      const [row] = await ask({
        text: `SELECT id FROM latchkey_log WHERE id > 0 ${where} ORDER BY id DESC LIMIT 1 OFFSET $1`,
        values,
      });
      return Number(row?.id ?? 0);
    },

    async pruneLogEntries(before, limit) {
      const rows = await ask({
        text: `DELETE FROM latchkey_log WHERE id IN (
                 SELECT id FROM latchkey_log WHERE at < $1 ORDER BY at LIMIT $2
                 FOR UPDATE SKIP LOCKED
               ) RETURNING id`,
        values: [before, limit],
      });
      return rows.length;
    },
  };
}

/**
 * Inserts entries under the next IDs. Each carries a key of its writer's making: one that is sent
 * again goes in once.
 */
export function logInsert(
  entries: readonly NewLogEntry[],
  keyOf: (entry: NewLogEntry) => string,
): PostgresQuery {
  return {
    text: `WITH log_end AS (
             UPDATE latchkey_log_end SET id = id + $1 RETURNING id - $1 AS start
           )
           INSERT INTO latchkey_log (id, key, at, type, summary, author)
           SELECT start + place, key, at, type, summary, author
           FROM log_end, unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[])
             WITH ORDINALITY AS entry (key, at, type, summary, author, place)
           ON CONFLICT (key) DO NOTHING`,
    values: [
      entries.length,
      entries.map(keyOf),
      entries.map(({ at }) => at.toISOString()),
      entries.map(({ type }) => type),
      entries.map(({ summary }) => summary),
      entries.map(({ author }) => author),
    ],
  };
}

/** More than an instance holds back, so that none which was written late is missed. */
const EARLIEST_LOOKED_AT = MOST_WAITING + 1;

/**
 * Entries are written nearly in the order of their times: the reading starts at the lowest ID among
 * the earliest that match, or it might go through all that is older. A log that was imported has old
 * times under new IDs: with one, the reading goes through everything.
 */
const sinceOf = (since: string): string =>
  `AND at >= ${since} AND id >= CASE WHEN EXISTS (SELECT FROM latchkey_log WHERE type = 'log_import')
     THEN 0 ELSE (SELECT min(id) FROM
       (SELECT id FROM latchkey_log WHERE at >= ${since} ORDER BY at LIMIT ${EARLIEST_LOOKED_AT})
       AS earliest) END`;

function filterOf(
  { type, since }: LogFilter,
  before: readonly unknown[],
): { where: string; values: readonly unknown[] } {
  const values = [...before];
  const conditions: string[] = [];
  if (type !== undefined) conditions.push(`AND type = $${values.push(type)}`);
  if (since !== undefined) conditions.push(sinceOf(`$${values.push(since)}`));
  return { where: conditions.join(" "), values };
}
