import { CompiledQuery, sql } from "kysely";
import { Fault } from "../lib/fault.ts";
import { nameKeyOf } from "../lib/names.ts";
import { type Db, type TableRow, TransactionConflict, UniqueViolation } from "./database.ts";
import { createUsedName } from "./queries/names.ts";
import { toUser } from "./queries/users.ts";
import { listColumnNames, type RawRow } from "./rows.ts";
import { getKeyField } from "./schema.ts";
import {
  type ColumnValue,
  listColumns,
  type Row,
  type TableName,
  tables,
  toColumnName,
  toRowValues,
} from "./tables.ts";
import type { RowReader, Rows, TakenUser, TransferStore } from "./transfer-store.ts";

/** Provides what is needed to read a whole database, or to add many rows to it. */
interface TransferTarget {
  /** Queries on this database may wait longer than a page can. */
  readonly db: () => Db;
  /** Inserts rows. Skips rows whose key exists, except rows of users and apps. */
  insertRows(trx: Db, rows: Rows): Promise<void>;
}

const NOT_EMPTY = new Fault("not_empty", "the database has other rows");

/** Runs one statement that Kysely cannot build, or that is already written in SQL. */
export async function runSql(
  db: Db,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly RawRow[]> {
  return (await db.executeQuery<RawRow>(CompiledQuery.raw(text, [...values]))).rows;
}

/** Creates the methods that copies, exports and imports use. */
export function createTransfer({ db, insertRows }: TransferTarget): TransferStore {
  return {
    ...createReader(db),

    async importRows(pages, verify) {
      try {
        await db()
          .transaction()
          // An empty database needs a serializable transaction, which detects a concurrent first
          // account.
          .setIsolationLevel(verify === undefined ? "read committed" : "serializable")
          .execute(async (trx) => {
            let users = 0;
            let entries = 0;
            for await (const page of pages) {
              await insertRows(trx, page);
              // A copy brings the used names of its source.
              if (page.table === "users" && verify === undefined)
                await insertRows(trx, { table: "used_names", rows: page.rows.map(toNameRow) });
              if (page.table === "users") users += page.rows.length;
              if (page.table === "log") entries += page.rows.length;
            }
            if (verify === undefined) return;
            const written = createReader(() => trx);
            const all = await written.readAmounts();
            if (all.users !== users || all.entries !== entries) throw NOT_EMPTY;
            await verify(written);
          });
        return "imported";
      } catch (error) {
        const isTaken = error === NOT_EMPTY || error instanceof UniqueViolation;
        if (isTaken || (verify && error instanceof TransactionConflict)) return "taken";
        throw error;
      }
    },

    async findTakenUsers(candidates) {
      if (candidates.length === 0) return [];
      const ids = candidates.map(({ id }) => id);
      const usernames = candidates.map(({ username }) => username);
      const rows = await db()
        .selectFrom("latchkey_users")
        .select(["id", "username"])
        .where((eb) => eb.or([eb("id", "in", ids), eb("username", "in", usernames)]))
        .execute();
      const takenIds = new Set(rows.map((user) => user.id));
      const takenNames = new Set(rows.map((user) => user.username));
      return candidates.flatMap(({ id, username }): readonly TakenUser[] => {
        if (takenNames.has(username)) return [{ id, taken: "username" }];
        return takenIds.has(id) ? [{ id, taken: "id" }] : [];
      });
    },

    async findTakenApps(ids) {
      if (ids.length === 0) return [];
      const query = db().selectFrom("latchkey_apps").select("id").where("id", "in", ids);
      return (await query.execute()).map(({ id }) => id);
    },

    async findVerifiedEmails(emails) {
      if (emails.length === 0) return [];
      const rows = await db()
        .selectFrom("latchkey_profiles")
        .select("verified_email")
        .where("verified_email", "in", emails)
        .execute();
      return rows.flatMap(({ verified_email: email }) => email ?? []);
    },

    async findUsedNames(candidates) {
      if (candidates.length === 0) return [];
      const keys = candidates.map(({ username }) => nameKeyOf(username));
      const rows = await db()
        .selectFrom("latchkey_used_names")
        .select("id")
        .where("id", "in", keys)
        .execute();
      const used = new Set(rows.map(({ id }) => id));
      return candidates.flatMap(({ id }, at) => (used.has(keys[at] ?? "") ? [id] : []));
    },
  };
}

/** Returns the row of the used name for the row of a user. */
function toNameRow(row: Row): Row {
  const values = Object.fromEntries(
    listColumnNames(tables.users).map((name, at) => [name, row[at]]),
  );
  return toRowValues(
    tables.used_names,
    createUsedName(toUser(values as TableRow<typeof tables.users>)),
  );
}

/**
 * Creates the methods that read rows. The compiler does not check the names in these queries, since
 * each table has different columns.
 */
const createReader = (db: () => Db): RowReader => ({
  async readRows(table, after, limit) {
    const key = sql.ref<ColumnValue>(toColumnName(getKeyField(tables[table])));
    const rows = await db()
      .selectFrom(`latchkey_${table}`)
      .selectAll()
      .where(key, ">", after)
      .orderBy(key)
      .limit(limit)
      .execute();
    return rows.map((row) => toValues(table, row));
  },

  async readUserRows(table, users) {
    if (users.length === 0) return [];
    const rows = await db()
      .selectFrom(`latchkey_${table}`)
      .selectAll()
      .where(sql.ref<string>("user_id"), "in", users)
      .orderBy(sql.ref(toColumnName(getKeyField(tables[table]))))
      .execute();
    return rows.map((row) => toValues(table, row));
  },

  async readAmounts() {
    const { users, entries } = await db()
      .selectNoFrom((eb) => [
        eb
          .selectFrom("latchkey_users")
          .select((all) => all.fn.countAll<number>().as("count"))
          .as("users"),
        eb
          .selectFrom("latchkey_log")
          .select((all) => all.fn.countAll<number>().as("count"))
          .as("entries"),
      ])
      .executeTakeFirstOrThrow();
    return { users: Number(users), entries: Number(entries) };
  },
});

/** Returns the values of a row in the order of the columns. */
const toValues = (table: TableName, row: RawRow): Row =>
  listColumns(tables[table]).map(([field]) => row[toColumnName(field)] as ColumnValue);
