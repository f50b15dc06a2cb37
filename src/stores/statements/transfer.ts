import { AnyFault } from "../../core/base/fault.ts";
import { nameKeyOf } from "../../core/base/names.ts";
import { columnName, columnsOf, type Row, type TableName, tables } from "../../core/tables.ts";
import type {
  RowReader,
  Rows,
  TakenUser,
  TransferStore,
} from "../../core/transfer/transfer-store.ts";
import { usedNameRow } from "./names.ts";
import { type Ask, columnNames, type FoundRow, isNumber, keyOf, recordOf } from "./sql.ts";

/** What reads the whole database, or adds many rows to it, needs of one. */
interface Transferring {
  /** Takes longer than a page can wait, if it must. */
  readonly ask: Ask;
  /** Runs work that may wait between its statements in one transaction. */
  inOneStep(work: (ask: Ask) => Promise<void>): Promise<void>;
  /** Leaves out a row of a user whose key is known, but not a user. */
  insertRows(ask: Ask, rows: Rows): Promise<void>;
  readonly isTaken: (error: unknown) => boolean;
}

const NOT_EMPTY = new AnyFault("not_empty", "the database has other rows");

/** The methods of copies, exports and imports. */
export function transferOn({ ask, inOneStep, insertRows, isTaken }: Transferring): TransferStore {
  return {
    ...readerOn(ask),

    async importRows(pages, verify) {
      try {
        await inOneStep(async (here) => {
          let users = 0;
          let entries = 0;
          for await (const page of pages) {
            await insertRows(here, page);
            // A copy brings those of its source.
            if (page.table === "users" && verify === undefined)
              await insertRows(here, { table: "used_names", rows: page.rows.map(nameRowOf) });
            if (page.table === "users") users += page.rows.length;
            if (page.table === "log") entries += page.rows.length;
          }
          if (verify === undefined) return;
          // Counted last: PostgreSQL has waited for a first account of another process by then.
          const written = readerOn(here);
          const all = await written.readAmounts();
          if (all.users !== users || all.entries !== entries) throw NOT_EMPTY;
          await verify(written);
        });
        return "imported";
      } catch (error) {
        if (error === NOT_EMPTY || isTaken(error)) return "taken";
        throw error;
      }
    },

    async findTaken(wanted) {
      const rows = await ask(
        "SELECT id, username FROM {users} WHERE id IN {$1} OR username IN {$2}",
        [wanted.map(({ id }) => id), wanted.map(({ username }) => username)],
      );
      const ids = new Set(rows.map(({ id }) => id));
      const names = new Set(rows.map(({ username }) => username));
      return wanted.flatMap(({ id, username }): readonly TakenUser[] => {
        if (names.has(username)) return [{ id, taken: "username" }];
        return ids.has(id) ? [{ id, taken: "id" }] : [];
      });
    },

    async findUsed(wanted) {
      const keys = wanted.map(({ username }) => nameKeyOf(username));
      const rows = await ask("SELECT id FROM {used_names} WHERE id IN {$1}", [keys]);
      const used = new Set(rows.map(({ id }) => id));
      return wanted.flatMap(({ id }, at) => (used.has(keys[at]) ? [id] : []));
    },
  };
}

const readerOn = (ask: Ask): RowReader => ({
  async readRows(table, after, limit) {
    const key = columnName(keyOf(tables[table]));
    const text = `SELECT ${columnNames(tables[table])} FROM {${table}}
      WHERE ${key} > $1 ORDER BY ${key} LIMIT $2`;
    return (await ask(text, [after, limit])).map((row) => rowFrom(table, row));
  },

  async readRowsOf(table, users) {
    const text = `SELECT ${columnNames(tables[table])} FROM {${table}}
      WHERE user_id IN {$1} ORDER BY ${columnName(keyOf(tables[table]))}`;
    return (await ask(text, [users])).map((row) => rowFrom(table, row));
  },

  async readAmounts() {
    const [row] = await ask(
      "SELECT (SELECT count(*) FROM {users}) AS users, (SELECT count(*) FROM {log}) AS entries",
    );
    return { users: Number(row?.users), entries: Number(row?.entries) };
  },
});

const USER_COLUMNS = columnsOf(tables.users).map(([field]) => columnName(field));

const nameRowOf = (row: Row): Row => {
  const fields = USER_COLUMNS.map((column, at) => [column, row[at]] as const);
  return usedNameRow(recordOf(tables.users, Object.fromEntries(fields)));
};

/** The values of a row in the order of the columns. PostgreSQL returns large integers as text. */
const rowFrom = (table: TableName, row: FoundRow): Row =>
  columnsOf(tables[table]).map(([field, { kind }]) => {
    const value = row[columnName(field)];
    if (value === null || value === undefined) return null;
    return isNumber(kind) ? Number(value) : String(value);
  });
