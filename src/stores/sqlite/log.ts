import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { LogFilter, LogPruner, LogReader } from "../../core/log-reader.ts";
import type { Store } from "../../core/store.ts";
import { EARLIEST_ENTRIES, logEntryOf } from "../rows.ts";
import { inTransaction, retryWhileBusy } from "./locking.ts";

type SqliteLog = LogReader & LogPruner & Pick<Store, "insertLogEntries">;

/** The methods for the audit log. */
export function logOf(database: DatabaseSync): SqliteLog {
  const insertLogEntry = database.prepare(
    "INSERT INTO log_entries (at, type, summary, author) VALUES (?, ?, ?, ?)",
  );
  const pruneLogEntries = database.prepare(
    "DELETE FROM log_entries WHERE id IN (SELECT id FROM log_entries WHERE at < ? ORDER BY at LIMIT ?)",
  );
  const prepared = rememberStatements(database);

  return {
    insertLogEntries: (entries) =>
      retryWhileBusy(() =>
        inTransaction(database, () => {
          for (const { at, type, summary, author } of entries) {
            insertLogEntry.run(at.getTime(), type, summary, author);
          }
        }),
      ),

    readLogEntries: ({ afterId, limit, ...filter }) =>
      retryWhileBusy(() => {
        const { where, values } = filterOf(afterId, filter);
        const rows = prepared(`SELECT * FROM log_entries WHERE ${where} ORDER BY id LIMIT ?`).all(
          ...values,
          limit,
        );
        return rows.map(logEntryOf);
      }),

    startOfNewest: (limit, filter) =>
      retryWhileBusy(() => {
        const { where, values } = filterOf(0, filter);
        const oldest = prepared(
          `SELECT id FROM log_entries WHERE ${where} ORDER BY id DESC LIMIT 1 OFFSET ?`,
        ).get(...values, limit);
        return Number(oldest?.id ?? 0);
      }),

    pruneLogEntries: (before, limit) =>
      retryWhileBusy(() => Number(pruneLogEntries.run(before.getTime(), limit).changes)),
  };
}

/** Keeps the few statements that filters produce: preparing one takes longer than running it. */
function rememberStatements(database: DatabaseSync): (text: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (text) => {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  };
}

/**
 * Starts at the lowest ID among the earliest matching entries instead of scanning all older ones;
 * matches nothing if there are none. An imported log has old times with new IDs, so a database with
 * one is scanned from the start.
 */
const AFTER_AND_SINCE = `id > max(?, CASE WHEN EXISTS (SELECT 1 FROM log_entries WHERE type = 'log_import') THEN 0 ELSE
    (SELECT min(id) - 1 FROM
      (SELECT id FROM log_entries WHERE at >= ? ORDER BY at LIMIT ${EARLIEST_ENTRIES})) END)
  AND at >= ?`;

function filterOf(
  afterId: number,
  { type, since }: LogFilter,
): { where: string; values: (string | number)[] } {
  const start =
    since === undefined
      ? { where: "id > ?", values: [afterId] }
      : { where: AFTER_AND_SINCE, values: [afterId, since.getTime(), since.getTime()] };
  if (type === undefined) return start;
  return { where: `${start.where} AND type = ?`, values: [...start.values, type] };
}
