import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as breath } from "node:timers/promises";
import type { UserId } from "../../src/core/store.ts";
import type { Postgres } from "../../test/support/postgres.ts";

/** How much is in a store. */
export interface Amount {
  readonly users: number;
  readonly entries: number;
}

/** Puts in what is missing between two amounts. */
export type Fill = (from: Amount, to: Amount) => Promise<void>;

/** One entry every four and a half seconds, 800 an hour: ten million are a year and five months. */
const ENTRY_EVERY_MS = 4_500;
const AT_ONCE = 100_000;

const HASH_FORM = "$argon2id$v=19$m=19456,t=2,p=1$";

/**
 * Rate limits come in bursts: one on the first day, and then next to none, so that the newest
 * twenty of them lie as far back as can be.
 */
const TYPE = `CASE WHEN n <= 40 OR n % 1000000 = 0 THEN 'signin_rate_limited'
                   WHEN n % 97 = 0 THEN 'password_change' ELSE 'signin' END`;

const SUMMARY = `CASE WHEN n <= 40 OR n % 1000000 = 0 THEN 'Rate limited login from 203.0.113.' || (n % 200)
                      WHEN n % 97 = 0 THEN 'Changed password'
                      ELSE 'Signed in as ' || `;

/** Random to a database, and known to whoever has the number. */
export function userIdOf(n: number): UserId {
  const hex = createHash("md5").update(`user ${n}`).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") as UserId;
}

export const usernameOf = (n: number): string => `user-${n}@example.org`;

/** When the newest of so many entries was made; the first one at `start`. */
export const newestAt = (start: number, entries: number): number =>
  start + entries * ENTRY_EVERY_MS;

/** When the log has to begin for its last entry to be of this moment. */
export const startFor = (entries: number): number => Date.now() - entries * ENTRY_EVERY_MS;

/** The schema is there already, made by the store itself. */
export function sqliteFill(file: string, start: number): Fill {
  return async (from, to) => {
    const database = new DatabaseSync(file);
    database.exec(
      "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA temp_store = MEMORY",
    );
    database.function("user_id", { deterministic: true }, (n) => userIdOf(Number(n)));
    const numbers =
      "WITH RECURSIVE numbers (n) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)";
    const users = database.prepare(
      `${numbers} INSERT INTO users (id, username, password_hash)
       SELECT user_id(n), 'user-' || n || '@example.org',
              '${HASH_FORM}' || substr(hex(randomblob(11)), 1, 22) || '$' || substr(hex(randomblob(22)), 1, 43)
       FROM numbers`,
    );
    const entries = database.prepare(
      `${numbers} INSERT INTO log_entries (id, at, type, summary, author)
       SELECT n, ${start} + n * ${ENTRY_EVERY_MS} - abs(random() % 1000), ${TYPE},
              ${SUMMARY} 'user-' || (1 + abs(random() % ${to.users})) || '@example.org' END, 'system'
       FROM numbers`,
    );
    await inSteps(from.users, to.users, (first, last) => void users.run(first, last));
    await inSteps(from.entries, to.entries, (first, last) => void entries.run(first, last));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  };
}

export function postgresFill(postgres: Postgres, start: number): Fill {
  return async (from, to) => {
    await inSteps(from.users, to.users, (first, last) =>
      postgres.sql(
        `INSERT INTO latchkey_users (id, username, password_hash)
         SELECT md5('user ' || n)::uuid::text, 'user-' || n || '@example.org',
                '${HASH_FORM}' || left(md5('salt ' || n), 22) || '$' ||
                left(translate(encode(sha256(('hash ' || n)::bytea), 'base64'), '=', ''), 43)
         FROM generate_series(${first}, ${last}) AS n`,
      ),
    );
    await inSteps(from.entries, to.entries, (first, last) =>
      postgres.sql(
        `INSERT INTO latchkey_log (id, key, at, type, summary, author)
         SELECT n, gen_random_uuid(),
                to_timestamp((${start} + n * ${ENTRY_EVERY_MS}::bigint - random() * 1000) / 1000), ${TYPE},
                ${SUMMARY} 'user-' || (1 + floor(random() * ${to.users})) || '@example.org' END, 'system'
         FROM generate_series(${first}, ${last}) AS n`,
      ),
    );
    await postgres.sql(`UPDATE latchkey_log_end SET id = ${to.entries}`);
    // What the server does by itself sooner or later, so that it does not do it while it is measured.
    await postgres.sql("VACUUM ANALYZE");
    await postgres.sql("CHECKPOINT");
  };
}

/** In pieces, so that a signal is heard in between. */
async function inSteps(
  from: number,
  to: number,
  work: (first: number, last: number) => unknown,
): Promise<void> {
  for (let done = from; done < to; ) {
    const last = Math.min(done + AT_ONCE, to);
    await work(done + 1, last);
    await breath();
    done = last;
  }
}
