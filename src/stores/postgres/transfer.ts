import { randomUUID } from "node:crypto";
import type { UserReader } from "../../core/accounts/account-store.ts";
import type { StoredUser } from "../../core/store.ts";
import type {
  Contents,
  ContentsReader,
  ImportBatch,
  Importer,
  ImportRows,
  RecordImporter,
  TakenUser,
} from "../../core/transfer/transfer-store.ts";
import { userOf } from "../rows.ts";
import { logInsert } from "./log.ts";
import type { PostgresPool, PostgresQuery } from "./query.ts";
import type { Tables } from "./tables.ts";
import { type TransactionAsk as Ask, inTransaction } from "./transaction.ts";

export interface PostgresTransfer extends ContentsReader, UserReader, Importer, RecordImporter {}

/** Usernames are indexed, and an index row cannot be longer than 2,704 bytes with its overhead. */
const MAX_USERNAME_BYTES = 2_600;

/** The methods that read the whole database, or add many rows to it. */
export function transferOn(pool: PostgresPool, tables: Tables): PostgresTransfer {
  const { users } = tables;
  return {
    readUsers: ({ afterId, limit }) =>
      inTransaction(pool, async (ask) => {
        const rows = await ask(
          `SELECT id, username, password_hash, sessions_from FROM ${users}
           WHERE id > $1 ORDER BY id LIMIT $2`,
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
        const ids = new Set(rows.map(({ id }) => id));
        const names = new Set(rows.map(({ username }) => username));
        return wanted.flatMap(({ id, username }): readonly TakenUser[] => {
          if (names.has(username)) return [{ id, taken: "username" }];
          return ids.has(id) ? [{ id, taken: "id" }] : [];
        });
      }),

    importRecords: (rows) =>
      inTransaction(pool, async (ask, undo) => {
        for (const page of rows()) {
          const { text, values } = userInsert(tables, page.users);
          const inserted = await ask(`${text} ON CONFLICT DO NOTHING RETURNING 1`, values);
          if (inserted.length < page.users.length) return undo("taken");
          if (page.entries.length === 0) continue;
          const entries = logInsert(tables, page.entries, () => randomUUID());
          await ask(entries.text, entries.values);
        }
        return "imported";
      }),
  };
}

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
  return {
    mark: typeof row?.mark === "string" ? row.mark : undefined,
    users: Number(row?.users),
    entries: Number(row?.entries),
    lastEntryId: Number(row?.last_entry_id),
  };
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
  const { text, values } = userInsert(tables, users);
  await ask(text, values);
  await ask(
    `INSERT INTO ${tables.log} (id, key, at, type, summary, author)
     SELECT id, gen_random_uuid(), at, type, summary, author
     FROM unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])
       AS entry (id, at, type, summary, author)`,
    [
      entries.map(({ id }) => id),
      entries.map(({ at }) => at.toISOString()),
      entries.map(({ type }) => type),
      entries.map(({ summary }) => summary),
      entries.map(({ author }) => author),
    ],
  );
  await ask(`UPDATE ${tables.logEnd} SET id = greatest(id, $1)`, [to.lastEntryId]);
  await ask(
    `INSERT INTO ${tables.importMark} VALUES (true, $1)
     ON CONFLICT (one) DO UPDATE SET mark = excluded.mark`,
    [to.mark ?? ""],
  );
}

/** Inserts users with their IDs. Runs in a transaction only: it uses short names. */
function userInsert(tables: Tables, users: readonly StoredUser[]): PostgresQuery {
  return {
    text: `INSERT INTO ${tables.users} (id, username, password_hash, sessions_from)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`,
    values: [
      users.map(({ id }) => id),
      users.map(({ username }) => username),
      users.map(({ passwordHash }) => passwordHash),
      users.map(({ sessionsFrom }) => sessionsFrom ?? null),
    ],
  };
}

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
  for (const { id, username, passwordHash } of users) {
    const who = `the user ${JSON.stringify(username.slice(0, 100))}`;
    if ([id, username, passwordHash].some((text) => text.includes("\0"))) {
      return `${who} contains a NUL character, which PostgreSQL cannot store`;
    }
    if (Buffer.byteLength(username) > MAX_USERNAME_BYTES) {
      return `${who} has a username of more than ${MAX_USERNAME_BYTES} bytes, which PostgreSQL cannot index`;
    }
  }
  const unusable = entries.find((one) =>
    [one.type, one.summary, one.author].some((text) => text.includes("\0")),
  );
  return (
    unusable && `log entry ${unusable.id} contains a NUL character, which PostgreSQL cannot store`
  );
}
