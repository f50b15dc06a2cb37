import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as breath } from "node:timers/promises";
import type { UserId } from "../../src/db/records.ts";
import type { Postgres } from "../../test/support/postgres.ts";

/** The number of rows in a store. */
export interface Amount {
  readonly users: number;
  readonly entries: number;
}

/** Inserts the rows between two amounts. */
export type Fill = (from: Amount, to: Amount) => Promise<void>;

/** One entry every 4.5 seconds, 800 per hour: ten million take a year and five months. */
const ENTRY_EVERY_MS = 4_500;
const AT_ONCE = 100_000;
/** Each user has one session, which a sign-in does not remove during the measurement. */
const SESSION_MS = 100 * 365 * 24 * 3_600_000;

const HASH_FORM = "$argon2id$v=19$m=19456,t=2,p=1$";

/**
 * Rate limits come in one burst on the first day and almost none later, so that the newest 20 of them
 * are as old as possible.
 */
const TYPE = `CASE WHEN n <= 40 OR n % 1000000 = 0 THEN 'signin_rate_limited'
                   WHEN n % 97 = 0 THEN 'password_change' ELSE 'signin' END`;

const SUMMARY = `CASE WHEN n <= 40 OR n % 1000000 = 0 THEN 'Rate limited login from 203.0.113.' || (n % 200)
                      WHEN n % 97 = 0 THEN 'Changed password'
                      ELSE 'Signed in as ' || `;

/** Random for a database, and computable from the number. */
export function userIdOf(n: number): UserId {
  const hex = createHash("md5").update(`user ${n}`).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") as UserId;
}

export const usernameOf = (n: number): string => `user-${n}@example.org`;

/** The time of the newest of `n` entries, the first being at `start`. */
export const newestAt = (start: number, entries: number): number =>
  start + entries * ENTRY_EVERY_MS;

/** The start of a log whose last entry is of now. */
export const startFor = (entries: number): number => Date.now() - entries * ENTRY_EVERY_MS;

/** The store has created the schema before. */
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
      `${numbers} INSERT INTO latchkey_users (id, username, password_hash)
       SELECT user_id(n), 'user-' || n || '@example.org',
              '${HASH_FORM}' || substr(hex(randomblob(11)), 1, 22) || '$' || substr(hex(randomblob(22)), 1, 43)
       FROM numbers`,
    );
    const entries = database.prepare(
      `${numbers} INSERT INTO latchkey_log (id, at, type, summary, author)
       SELECT n, ${start} + n * ${ENTRY_EVERY_MS} - abs(random() % 1000), ${TYPE},
              ${SUMMARY} 'user-' || (1 + abs(random() % ${to.users})) || '@example.org' END, 'system'
       FROM numbers`,
    );
    const sessions = database.prepare(
      `${numbers} INSERT INTO latchkey_sessions (id, user_id, created_at, used_at, expires_at, address, device)
       SELECT user_id(-n), user_id(n), ${start}, ${start}, ${start} + ${SESSION_MS}, '203.0.113.7',
              'Firefox on Linux'
       FROM numbers`,
    );
    await inSteps(from.users, to.users, (first, last) => void users.run(first, last));
    await inSteps(from.users, to.users, (first, last) => void sessions.run(first, last));
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
    await inSteps(from.users, to.users, (first, last) =>
      postgres.sql(
        `INSERT INTO latchkey_sessions (id, user_id, created_at, used_at, expires_at, address, device)
         SELECT md5('user -' || n)::uuid::text, md5('user ' || n)::uuid::text, ${start}, ${start},
                ${start + SESSION_MS}, '203.0.113.7', 'Firefox on Linux'
         FROM generate_series(${first}, ${last}) AS n`,
      ),
    );
    await inSteps(from.entries, to.entries, (first, last) =>
      postgres.sql(
        `INSERT INTO latchkey_log (id, key, at, type, summary, author)
         SELECT n, gen_random_uuid(),
                ${start} + n * ${ENTRY_EVERY_MS}::bigint - (random() * 1000)::bigint, ${TYPE},
                ${SUMMARY} 'user-' || (1 + floor(random() * ${to.users})) || '@example.org' END, 'system'
         FROM generate_series(${first}, ${last}) AS n`,
      ),
    );
    await postgres.sql(`UPDATE latchkey_log_end SET id = ${to.entries}`);
    // Runs the server's own maintenance now, so that it does not run during the measurement.
    await postgres.sql("VACUUM ANALYZE");
    await postgres.sql("CHECKPOINT");
  };
}

/** In batches, so that a signal is handled in between. */
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
