import type { Intake, NewRows, TakenUser } from "../core/store.ts";
import type { PostgresPool } from "./postgres-query.ts";
import { type TransactionAsk as Ask, inTransaction } from "./postgres-transaction.ts";

/** The part of the store that takes in users and log entries of another system. */
export function intakeOn(pool: PostgresPool): Intake {
  return {
    findTaken: (users) =>
      inTransaction(pool, async (ask) => {
        const rows = await ask(
          "SELECT id, username FROM latchkey_users WHERE id = ANY($1) OR username = ANY($2)",
          [users.map(({ id }) => id), users.map(({ username }) => username)],
        );
        const ids = new Set(rows.map(({ id }) => id));
        const names = new Set(rows.map(({ username }) => username));
        return users.flatMap(({ id, username }): readonly TakenUser[] => {
          if (names.has(username)) return [{ id, taken: "username" }];
          return ids.has(id) ? [{ id, taken: "id" }] : [];
        });
      }),

    takeIn: (rows) =>
      inTransaction(pool, async (ask, undo) => {
        for (const some of rows()) {
          if ((await insertUsers(some, ask)) < some.users.length) return undo("taken");
          await insertEntries(some, ask);
        }
        return "taken-in";
      }),
  };
}

/** Answers with how many of them went in. */
async function insertUsers({ users }: NewRows, ask: Ask): Promise<number> {
  if (users.length === 0) return 0;
  const inserted = await ask(
    `INSERT INTO latchkey_users (id, username, password_hash, sessions_from)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
     ON CONFLICT DO NOTHING RETURNING 1`,
    [
      users.map(({ id }) => id),
      users.map(({ username }) => username),
      users.map(({ passwordHash }) => passwordHash),
      users.map(({ sessionsFrom }) => sessionsFrom ?? null),
    ],
  );
  return inserted.length;
}

async function insertEntries({ entries }: NewRows, ask: Ask): Promise<void> {
  if (entries.length === 0) return;
  await ask(
    `WITH log_end AS (
       UPDATE latchkey_log_end SET id = id + $1 RETURNING id - $1 AS start
     )
     INSERT INTO latchkey_log (id, key, at, type, summary, author)
     SELECT start + place, gen_random_uuid(), at, type, summary, author
     FROM log_end, unnest($2::timestamptz[], $3::text[], $4::text[], $5::text[])
       WITH ORDINALITY AS entry (at, type, summary, author, place)`,
    [
      entries.length,
      entries.map(({ at }) => at.toISOString()),
      entries.map(({ type }) => type),
      entries.map(({ summary }) => summary),
      entries.map(({ author }) => author),
    ],
  );
}
