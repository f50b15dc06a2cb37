import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { hash } from "@node-rs/argon2";
import type { PasswordHash } from "../../src/core/store.ts";
import type { OpenStore } from "../../src/gate/open-store.ts";
import { openPostgres } from "../../src/stores/postgres/store.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { execute } from "../../test/support/database.ts";
import { openPostgres as startServer } from "../../test/support/postgres.ts";
import { type Fill, postgresFill, sqliteFill } from "./scale-fill.ts";

export const OWNER = { username: "owner", password: "correct horse" } as const;

/** A store that is filled step by step, with one user who has a real password. */
export interface Subject {
  readonly name: string;
  readonly store: OpenStore;
  readonly fill: Fill;
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

export async function sqliteSubject(folder: string, start: number): Promise<Subject> {
  const file = join(folder, "latchkey.db");
  const store = await openSqlite({ file });
  await addOwner(store);
  return {
    name: "SQLite",
    store,
    fill: sqliteFill(file, start),
    env: { DATA_DIR: folder },
    intoMemory: () => readThrough(folder),
    removeEntriesAfter: async (id) => execute(file, `DELETE FROM log_entries WHERE id > ${id}`),
    version: async () => `SQLite ${process.versions.sqlite}`,
    close: async () => store.close(),
  };
}

export async function postgresSubject(folder: string, start: number): Promise<Subject> {
  const postgres = await startServer(AS_IN_PRODUCTION);
  const store = await openPostgres({ url: postgres.url() });
  await addOwner(store);
  return {
    name: "PostgreSQL",
    store,
    fill: postgresFill(postgres, start),
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
  await store.insertFirstUser({ username: OWNER.username, passwordHash });
}
