import { MAX_WAITING_ENTRIES } from "../../core/log/event-log.ts";
import type { LogFilter, LogStore } from "../../core/store.ts";
import { type ColumnValue, tables, timeOf } from "../../core/tables.ts";
import { type StatementPorts, statementsOn } from "./sql.ts";

/**
 * How many of the earliest entries since a time are searched for the lowest ID. Entries are written
 * nearly in the order of their times: an instance holds back fewer than that.
 */
const EARLIEST_ENTRIES = MAX_WAITING_ENTRIES + 1;

/** The methods for the audit log. */
export function logOn({ ask, insertEntries }: StatementPorts): LogStore {
  const entries = statementsOn(ask, "log", tables.log);
  return {
    insert: insertEntries,

    async read({ afterId, limit, ...filter }) {
      const values: ColumnValue[] = [afterId, limit];
      const rest = `WHERE id > $1 ${filterIn(filter, values)} ORDER BY id LIMIT $2`;
      return entries.select(rest, values);
    },

    async newest({ userId, beforeId = Number.MAX_SAFE_INTEGER, limit, ...filter }) {
      const values: ColumnValue[] = [beforeId, limit];
      const ofUser = userId === undefined ? "" : `AND user_id == $${values.push(userId)}`;
      const rest = `WHERE id < $1 ${ofUser} ${filterIn(filter, values)} ORDER BY id DESC LIMIT $2`;
      return entries.select(rest, values);
    },

    async prune(before, limit) {
      const text = `DELETE FROM {log} WHERE id IN
        (SELECT id FROM {log} WHERE at < $1 ORDER BY at LIMIT $2) RETURNING id`;
      return (await ask(text, [timeOf(before), limit])).length;
    },

    async pruneType(type, keep, limit) {
      const text = `DELETE FROM {log} WHERE id IN
        (SELECT id FROM {log} WHERE type == $1 AND id <=
           (SELECT id FROM {log} WHERE type == $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
         ORDER BY id LIMIT $3) RETURNING id`;
      return (await ask(text, [type, keep, limit])).length;
    },
  };
}

/** Adds the values of a filter, and returns its conditions. */
function filterIn({ type, since }: LogFilter, values: ColumnValue[]): string {
  const ofType = type === undefined ? "" : `AND type == $${values.push(type)}`;
  if (since === undefined) return ofType;
  const from = `$${values.push(timeOf(since))}`;
  // From the lowest ID among the earliest matching entries, instead of scanning all older ones.
  return `${ofType} AND at >= ${from} AND id >= (SELECT min(id) FROM
    (SELECT id FROM {log} WHERE at >= ${from} ORDER BY at LIMIT ${EARLIEST_ENTRIES}) AS earliest)`;
}
