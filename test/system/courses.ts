import { join } from "node:path";
import type { TestContext } from "node:test";
import { openPostgres } from "../../src/stores/postgres/store.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { countOf } from "../support/database.ts";
import type { PostgresAccess } from "../support/postgres.ts";
import { runSql } from "../support/postgres-admin.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { Course } from "./account-race.ts";

/** An empty SQLite file. */
export async function sqliteCourse(t: TestContext): Promise<Course> {
  const dataDir = await tempDir(t);
  const file = join(dataDir, "latchkey.db");
  return {
    flags: { DATA_DIR: dataDir },
    countUsers: () => countOf(file, "users"),
    openLog: () => openSqlite({ file, missing: "refuse" }),
  };
}

/** An empty PostgreSQL database, as gates on several machines share it. */
export async function postgresCourse(t: TestContext, server: PostgresAccess): Promise<Course> {
  const url = await server.newDatabase();
  return {
    flags: { DATABASE_URL: url, DATA_DIR: await tempDir(t) },
    async countUsers() {
      const [row] = await runSql(url, "SELECT count(*) FROM latchkey_users");
      return Number(row?.count);
    },
    openLog: () => openPostgres({ url, missing: "refuse" }),
  };
}
