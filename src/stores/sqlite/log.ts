import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { LogFilter, LogPruner, LogReader } from "../../core/log/log-reader.ts";
import type { Store } from "../../core/store.ts";
import { EARLIEST_ENTRIES, logEntryOf } from "../rows.ts";
import { type Ask, inTransaction } from "./locking.ts";
import { insertRows } from "./transfer.ts";

type SqliteLog = LogReader & LogPruner & Pick<Store, "insertLogEntries">;

/** The methods for the audit log. */
export function logOn(database: DatabaseSync, ask: Ask): SqliteLog {
  async function prune(which: string, values: readonly SQLInputValue[]): Promise<number> {
    const ids = `SELECT id FROM log_entries WHERE ${which}`;
    return (await ask(`DELETE FROM log_entries WHERE id IN (${ids}) RETURNING id`, values)).length;
  }

  return {
    insertLogEntries: (entries) =>
      inTransaction(database, () => insertRows(database, { users: [], entries })),

    async readLogEntries({ afterId, limit, ...filter }) {
      const { where, values } = filterOf(afterId, filter);
      const text = `SELECT * FROM log_entries WHERE ${where} ORDER BY id LIMIT ?`;
      return (await ask(text, [...values, limit])).map(logEntryOf);
    },

    async startOfNewest(limit, filter) {
      const { where, values } = filterOf(0, filter);
      const text = `SELECT id FROM log_entries WHERE ${where} ORDER BY id DESC LIMIT 1 OFFSET ?`;
      const [oldest] = await ask(text, [...values, limit]);
      return Number(oldest?.id ?? 0);
    },

    async readNewestEntriesOf(user, limit) {
      const text = `SELECT * FROM log_entries WHERE user_id = ? ORDER BY id DESC LIMIT ${limit}`;
      return (await ask(text, [user])).map(logEntryOf);
    },

    pruneLogEntries: (before, limit) =>
      prune("at < ? ORDER BY at LIMIT ?", [before.getTime(), limit]),

    pruneLogEntriesOf: (type, keep, limit) =>
      prune(
        `type = ? AND id <=
           (SELECT id FROM log_entries WHERE type = ? ORDER BY id DESC LIMIT 1 OFFSET ?)
         ORDER BY id LIMIT ?`,
        [type, type, keep, limit],
      ),
  };
}

/**
 * Starts at the lowest ID among the earliest matching entries instead of scanning all older ones;
 * matches nothing if there are none.
 */
const AFTER_AND_SINCE = `id > max(?, (SELECT min(id) - 1 FROM
    (SELECT id FROM log_entries WHERE at >= ? ORDER BY at LIMIT ${EARLIEST_ENTRIES})))
  AND at >= ?`;

function filterOf(
  afterId: number,
  { type, since }: LogFilter,
): { where: string; values: readonly SQLInputValue[] } {
  const conditions = [since === undefined ? "id > ?" : AFTER_AND_SINCE];
  const values: SQLInputValue[] = [afterId];
  if (since !== undefined) values.push(since.getTime(), since.getTime());
  if (type !== undefined) {
    conditions.push("type = ?");
    values.push(type);
  }
  return { where: conditions.join(" AND "), values };
}
