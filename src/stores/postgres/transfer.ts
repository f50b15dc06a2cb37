import { randomUUID } from "node:crypto";
import type { TransferUser } from "../../core/store.ts";
import { sessionRowsOf } from "../../core/transfer/session-rows.ts";
import type {
  Contents,
  ImportBatch,
  ImportRows,
  TransferStore,
} from "../../core/transfer/transfer-store.ts";
import {
  contentsOf,
  SESSION_COLUMNS,
  takenAmong,
  USER_COLUMNS,
  userOf,
  userValues,
} from "../rows.ts";
import { isTaken } from "./accounts.ts";
import { columnsOf, insertEntries } from "./log.ts";
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

    importBatch: (batch) =>
      inTransaction(pool, async (ask, undo) => {
        if (!(await isAt(tables, batch, ask))) return undo("overtaken");
        await insertBatch(tables, batch, ask);
        return (await isAlone(tables, batch, ask)) ? "imported" : undo("overtaken");
      }),

    problemWith,

    findTaken: (wanted) =>
      inTransaction(pool, async (ask) => {
        const rows = await ask(
          `SELECT id, username FROM ${users} WHERE id = ANY($1) OR username = ANY($2)`,
          [wanted.map(({ id }) => id), wanted.map(({ username }) => username)],
        );
        return takenAmong(wanted, rows);
      }),

    importRecords: (rows) =>
      inTransaction(pool, async (ask, undo) => {
        for (const page of rows()) {
          try {
            await insertUsers(ask, tables, page.users);
          } catch (error) {
            if (isTaken(error)) return undo("taken");
            throw error;
          }
          await insertEntries(ask, tables, page.entries, () => randomUUID());
        }
        return "imported";
      }),
  };
}

/** The sessions of a row of the table of users, as `SessionRow`s. */
const sessionsIn = ({ users, sessions }: Tables): string => `(
  SELECT json_agg(json_build_array(
    id, ${msOf("created_at")}, ${msOf("used_at")}, ${msOf("expires_at")}, address, device
  ) ORDER BY id)::text FROM ${sessions} WHERE user_id = ${users}.id) AS sessions`;

const msOf = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

async function readContents(
  { importMark, users, log, logEnd }: Tables,
  ask: Ask,
): Promise<Contents> {
  const [row] = await ask(
    `SELECT (SELECT mark FROM ${importMark}) AS mark,
            (SELECT count(*) FROM ${users}) AS users,
            (SELECT count(*) FROM ${log}) AS entries,
            (SELECT id FROM ${logEnd}) AS last_entry_id`,
  );
  return contentsOf(row ?? {});
}

/** Locks the row that every writer of log entries and every other import needs, then compares. */
async function isAt(tables: Tables, { from }: ImportBatch, ask: Ask): Promise<boolean> {
  const [end] = await ask(`SELECT id FROM ${tables.logEnd} FOR UPDATE`);
  if (Number(end?.id) !== from.lastEntryId) return false;
  if (from.mark === undefined) {
    const { mark, users, entries } = await readContents(tables, ask);
    return mark === undefined && users + entries === 0;
  }
  const [row] = await ask(`SELECT mark FROM ${tables.importMark}`);
  return row?.mark === from.mark;
}

async function insertBatch(
  tables: Tables,
  { users, entries, how, to }: ImportBatch,
  ask: Ask,
): Promise<void> {
  if (how === "start-over") {
    await ask(`DELETE FROM ${tables.users}`);
    await ask(`DELETE FROM ${tables.log}`);
  }
  await insertUsers(ask, tables, users);
  await ask(
    `INSERT INTO ${tables.log} (id, key, at, type, summary, author)
     SELECT id, gen_random_uuid(), at, type, summary, author
     FROM unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])
       AS entry (id, at, type, summary, author)`,
    [entries.map(({ id }) => id), ...columnsOf(entries)],
  );
  await ask(`UPDATE ${tables.logEnd} SET id = greatest(id, $1)`, [to.lastEntryId]);
  await ask(
    `INSERT INTO ${tables.importMark} VALUES (true, $1)
     ON CONFLICT (one) DO UPDATE SET mark = excluded.mark`,
    [to.mark ?? ""],
  );
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

/**
 * Another process may be inserting a first account at the same time. The trigger on the users waits
 * for it, so it is visible here; later ones find that there is an account.
 */
async function isAlone(tables: Tables, { from, users }: ImportBatch, ask: Ask): Promise<boolean> {
  if (from.mark !== undefined) return true;
  const [row] = await ask(`SELECT count(*) AS users FROM ${tables.users}`);
  return Number(row?.users) === users.length;
}

function problemWith({ users, entries }: ImportRows): string | undefined {
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
    [one.type, one.summary, one.author].some((text) => text.includes("\0")),
  );
  return (
    unusable && `log entry ${unusable.id} contains a NUL character, which PostgreSQL cannot store`
  );
}
