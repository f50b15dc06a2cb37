import type { UserReader } from "../../core/accounts/account-store.ts";
import type {
  Contents,
  ContentsReader,
  ImportBatch,
  Importer,
  ImportRows,
} from "../../core/transfer/transfer-store.ts";
import { userOf } from "../rows.ts";
import type { PostgresPool } from "./query.ts";
import type { Tables } from "./tables.ts";
import { type TransactionAsk as Ask, inTransaction } from "./transaction.ts";
import { userInsert } from "./user-insert.ts";

export type PostgresTransfer = ContentsReader & UserReader & Importer;

/** Names are in an index, whose rows cannot be longer than 2,704 bytes with all that belongs to them. */
const LONGEST_NAME = 2_600;

/** The part of the store that takes everything out of a database, or into one. */
export function transferOn(pool: PostgresPool, tables: Tables): PostgresTransfer {
  return {
    readUsers: ({ afterId, limit }) =>
      inTransaction(pool, async (ask) => {
        const rows = await ask(
          `SELECT id, username, password_hash, sessions_from FROM ${tables.users}
           WHERE id > $1 ORDER BY id LIMIT $2`,
          [afterId, limit],
        );
        return rows.map(userOf);
      }),

    readContents: () => inTransaction(pool, (ask) => readContents(tables, ask)),

    importBatch: (batch) =>
      inTransaction(pool, async (ask, undo) => {
        if (!(await isAt(tables, batch, ask))) return undo("overtaken");
        await insert(tables, batch, ask);
        return (await isAlone(tables, batch, ask)) ? "imported" : undo("overtaken");
      }),

    problemWith,
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

/** Locks what every writer of log entries and every other import needs, and then looks. */
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

async function insert(
  tables: Tables,
  { users, entries, how, to }: ImportBatch,
  ask: Ask,
): Promise<void> {
  if (how === "start-over") {
    await ask(`DELETE FROM ${tables.users}`);
    await ask(`DELETE FROM ${tables.log}`);
  }
  if (users.length > 0) {
    const { text, values } = userInsert(tables, users);
    await ask(text, values);
  }
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

/**
 * A first account may be under way while the first users come in. The trigger on these waits for
 * it, so that here it can be seen; whoever comes later finds the place taken.
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
      return `${who} has a NUL, which PostgreSQL does not store`;
    }
    if (Buffer.byteLength(username) > LONGEST_NAME) {
      return `${who} has a name of more than ${LONGEST_NAME} bytes, which PostgreSQL cannot index`;
    }
  }
  const unusable = entries.find((one) =>
    [one.type, one.summary, one.author].some((text) => text.includes("\0")),
  );
  return unusable && `the log entry ${unusable.id} has a NUL, which PostgreSQL does not store`;
}
