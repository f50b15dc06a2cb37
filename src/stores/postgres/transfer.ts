import { randomUUID } from "node:crypto";
import type { TransferUser } from "../../core/store.ts";
import { sessionRowsOf } from "../../core/transfer/session-rows.ts";
import type { Amounts, NewRows, TransferStore } from "../../core/transfer/transfer-store.ts";
import {
  amountsOf,
  SESSION_COLUMNS,
  takenAmong,
  USER_COLUMNS,
  userOf,
  userValues,
} from "../rows.ts";
import { isTaken } from "./accounts.ts";
import { insertEntries } from "./log.ts";
import type { Ask, PostgresPool } from "./query.ts";
import type { Tables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

/** An index row cannot be longer than 2,704 bytes with its overhead. */
const MAX_INDEXED_BYTES = 2_600;

/** The methods that read the whole database, or add many rows to it. */
export function transferOn(pool: PostgresPool, tables: Tables): TransferStore {
  const { users } = tables;
  return {
    readUsers: ({ afterId, limit }) =>
      inTransaction(pool, async (ask) => {
        const rows = await ask(
          `SELECT ${USER_COLUMNS}, ${sessionsIn(tables)} FROM ${users} WHERE id > $1 ORDER BY id LIMIT $2`,
          [afterId, limit],
        );
        return rows.map(userOf);
      }),

    readContents: () => inTransaction(pool, (ask) => readContents(tables, ask)),

    problemWith,

    findTaken: (wanted) =>
      inTransaction(pool, async (ask) => {
        const rows = await ask(
          `SELECT id, username FROM ${users} WHERE id = ANY($1) OR username = ANY($2)`,
          [wanted.map(({ id }) => id), wanted.map(({ username }) => username)],
        );
        return takenAmong(wanted, rows);
      }),

    importRecords: (rows, into = "any") =>
      inTransaction(pool, async (ask, undo) => {
        const inserted = { users: 0, entries: 0 };
        for await (const page of rows) {
          try {
            await insertUsers(ask, tables, page.users);
          } catch (error) {
            if (isTaken(error)) return undo("taken");
            throw error;
          }
          await insertEntries(ask, tables, page.entries, () => randomUUID());
          inserted.users += page.users.length;
          inserted.entries += page.entries.length;
        }
        if (into === "any") return "imported";
        // Counted last: the trigger on the users has waited for a first account of another process.
        const all = await readContents(tables, ask);
        const isAlone = all.users === inserted.users && all.entries === inserted.entries;
        return isAlone ? "imported" : undo("taken");
      }),
  };
}

/** The sessions of a row of the table of users, as `SessionRow`s. */
const sessionsIn = ({ users, sessions }: Tables): string => `(
  SELECT json_agg(json_build_array(
    id, ${msOf("created_at")}, ${msOf("used_at")}, ${msOf("expires_at")}, address, device
  ) ORDER BY id)::text FROM ${sessions} WHERE user_id = ${users}.id) AS sessions`;

const msOf = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

async function readContents({ users, log }: Tables, ask: Ask): Promise<Amounts> {
  const [row] = await ask(
    `SELECT (SELECT count(*) FROM ${users}) AS users, (SELECT count(*) FROM ${log}) AS entries`,
  );
  return amountsOf(row ?? {});
}

/** Runs in a transaction only: it uses short names. */
async function insertUsers(ask: Ask, tables: Tables, users: readonly TransferUser[]) {
  const rows = users.map(userValues);
  const columns = USER_COLUMNS.split(", ").map((_, at) => rows.map((row) => row[at] ?? null));
  await ask(
    `INSERT INTO ${tables.users} (${USER_COLUMNS})
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[],
       $5::text[], $6::text[], $7::text[])`,
    columns,
  );
  await ask(
    `INSERT INTO ${tables.sessions} (${SESSION_COLUMNS})
     SELECT session ->> 0, user_id, ${timeAt(1)}, ${timeAt(2)}, ${timeAt(3)},
       session ->> 4, session ->> 5
     FROM unnest($1::text[], $2::text[]) AS moved (user_id, sessions),
       json_array_elements(sessions::json) AS session
     ON CONFLICT (id) DO NOTHING`,
    [users.map(({ id }) => id), users.map(({ sessions }) => sessions ?? null)],
  );
}

const timeAt = (index: number): string => `to_timestamp((session ->> ${index})::bigint / 1000.0)`;

function problemWith({ users, entries }: NewRows): string | undefined {
  for (const user of users) {
    const { username } = user;
    const who = `the user ${JSON.stringify(username.slice(0, 100))}`;
    const sessions = sessionRowsOf(user.sessions);
    if ([...userValues(user), ...sessions.flat()].some((value) => String(value).includes("\0"))) {
      return `${who} contains a NUL character, which PostgreSQL cannot store`;
    }
    const indexed = [username, ...sessions.map(([id]) => id)];
    if (indexed.some((text) => Buffer.byteLength(text) > MAX_INDEXED_BYTES)) {
      return `${who} has a username or a session ID of more than ${MAX_INDEXED_BYTES} bytes, which PostgreSQL cannot index`;
    }
  }
  const unusable = entries.find((one) =>
    [one.type, one.summary, one.author, one.userId].some((text) => text?.includes("\0")),
  );
  if (unusable === undefined) return undefined;
  return `the log entry of ${unusable.at.toISOString()} contains a NUL character, which PostgreSQL cannot store`;
}
