import { execFile } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { hash } from "@node-rs/argon2";
import { Pool } from "pg";
import { openPostgres } from "../../src/db/postgres/store.ts";
import type { PasswordHash } from "../../src/db/records.ts";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import type { OpenStore } from "../../src/gate/open-store.ts";
import { execute } from "../../test/support/database.ts";
import { openPostgres as startServer } from "../../test/support/postgres.ts";
import { type Fill, postgresFill, sqliteFill } from "./scale-fill.ts";

export const OWNER = { username: "owner", password: "correct horse" } as const;

/** A store that is filled step by step, with one user who has a real password. */
export interface Subject {
  readonly name: string;
  readonly store: OpenStore;
  readonly fill: Fill;
  /** A user by ID, without Latchkey: the least that a cold guard can take. */
  lookUp(id: string): Promise<unknown>;
  /** The settings that make `latchkey log` read it. */
  readonly env: Readonly<Record<string, string>>;
  /** Reads its files into the page cache, which some machines drop early. */
  intoMemory(): Promise<void>;
  /** Removes the entries that sign-ins added. */
  removeEntriesAfter(id: number): Promise<void>;
  version(): Promise<string>;
  close(): Promise<void>;
}

/** PostgreSQL's defaults, except for bulk loading; the test harness disables fsync. */
const AS_IN_PRODUCTION = {
  fsync: "on",
  shared_buffers: "128MB",
  io_method: "worker",
  max_wal_size: "4GB",
} as const;

/** As many as the store keeps. */
const CONNECTIONS = 8;

export async function sqliteSubject(folder: string, start: number): Promise<Subject> {
  const file = join(folder, "latchkey.db");
  const store = await openSqlite({ file });
  await addOwner(store);
  const database = new DatabaseSync(file);
  const byId = database.prepare("SELECT * FROM latchkey_users WHERE id = ?");
  return {
    name: "SQLite",
    store,
    fill: sqliteFill(file, start),
    lookUp: async (id) => byId.get(id),
    env: { DATA_DIR: folder },
    intoMemory: () => readThrough(folder),
    removeEntriesAfter: async (id) => execute(file, `DELETE FROM latchkey_log WHERE id > ${id}`),
    version: async () => `SQLite ${process.versions.sqlite}`,
    async close() {
      database.close();
      await store.close();
    },
  };
}

export async function postgresSubject(folder: string, start: number): Promise<Subject> {
  const postgres = await startServer(AS_IN_PRODUCTION);
  const store = await openPostgres({ url: postgres.url() });
  await addOwner(store);
  const pool = new Pool({ connectionString: postgres.url(), max: CONNECTIONS });
  const text = "SELECT * FROM latchkey_users WHERE id = $1";
  return {
    name: "PostgreSQL",
    store,
    fill: postgresFill(postgres, start),
    lookUp: async (id) => (await pool.query({ name: "by_id", text, values: [id] })).rows[0],
    env: { DATABASE_URL: postgres.url(), DATA_DIR: folder },
    intoMemory: () => readThrough(join(postgres.socketFolder, "data/base")),
    async removeEntriesAfter(id) {
      await postgres.sql(`DELETE FROM latchkey_log WHERE id > ${id}`);
    },
    async version() {
      const [row] = await postgres.sql("SHOW server_version");
      return `PostgreSQL ${row?.server_version}`;
    },
    async close() {
      await pool.end();
      await store.close();
      await postgres.close();
    },
  };
}

async function readThrough(folder: string): Promise<void> {
  const script = 'find "$1" -type f -exec cat {} + > /dev/null 2>&1 || true';
  await promisify(execFile)("sh", ["-c", script, "sh", folder]);
}

async function addOwner(store: OpenStore): Promise<void> {
  const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
  const passwordHash = (await hash(OWNER.password, cost)) as PasswordHash;
  await store.users.insertFirst({ username: OWNER.username, passwordHash });
}
