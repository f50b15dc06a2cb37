import { randomUUID } from "node:crypto";
import type { NewRows, RecordImporter, TakenUser } from "../../core/transfer/transfer-store.ts";
import { logInsert } from "./log.ts";
import type { PostgresPool } from "./query.ts";
import type { Tables } from "./tables.ts";
import { type TransactionAsk as Ask, inTransaction } from "./transaction.ts";
import { userInsert } from "./user-insert.ts";

/** The part of the store that takes in users and log entries of another system. */
export function intakeOn(pool: PostgresPool, tables: Tables): RecordImporter {
  return {
    findTaken: (users) =>
      inTransaction(pool, async (ask) => {
        const rows = await ask(
          `SELECT id, username FROM ${tables.users} WHERE id = ANY($1) OR username = ANY($2)`,
          [users.map(({ id }) => id), users.map(({ username }) => username)],
        );
        const ids = new Set(rows.map(({ id }) => id));
        const names = new Set(rows.map(({ username }) => username));
        return users.flatMap(({ id, username }): readonly TakenUser[] => {
          if (names.has(username)) return [{ id, taken: "username" }];
          return ids.has(id) ? [{ id, taken: "id" }] : [];
        });
      }),

    importRecords: (rows) =>
      inTransaction(pool, async (ask, undo) => {
        for (const some of rows()) {
          if ((await insertUsers(tables, some, ask)) < some.users.length) return undo("taken");
          await insertEntries(tables, some, ask);
        }
        return "imported";
      }),
  };
}

/** Answers with how many of them went in. */
async function insertUsers(tables: Tables, { users }: NewRows, ask: Ask): Promise<number> {
  if (users.length === 0) return 0;
  const { text, values } = userInsert(tables, users);
  return (await ask(`${text} ON CONFLICT DO NOTHING RETURNING 1`, values)).length;
}

async function insertEntries(tables: Tables, { entries }: NewRows, ask: Ask): Promise<void> {
  if (entries.length === 0) return;
  const { text, values } = logInsert(tables, entries, () => randomUUID());
  await ask(text, values);
}
