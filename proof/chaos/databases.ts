import { join } from "node:path";
import { inDatabase } from "../../test/support/database.ts";
import { openPostgres } from "../../test/support/postgres.ts";
import { runSql } from "../../test/support/postgres-admin.ts";
import type { GuardedFolder } from "../../test/support/postgres-folder.ts";
import type { CaseContext } from "./case.ts";
import { dataDirIn } from "./gate.ts";
import type { WrittenEntry } from "./judge/log.ts";

/** A gate's database, read without the gate. */
export interface GateDatabase {
  readonly name: string;
  /** The settings of a gate that uses it. */
  readonly settings: Readonly<Record<string, string>>;
  users(): Promise<number>;
  log(): Promise<readonly WrittenEntry[]>;
  /** The problems that the database's own integrity check finds. */
  integrity(): Promise<readonly string[]>;
}

type Row = Readonly<Record<string, unknown>>;

const entryOf = ({ id, at, type, summary, author }: Row): WrittenEntry => ({
  id: Number(id),
  at: at instanceof Date ? at.getTime() : Number(at),
  type: String(type),
  summary: String(summary),
  author: String(author),
});

export function sqliteIn(folder: GuardedFolder, dataDir: string = dataDirIn(folder)): GateDatabase {
  const file = join(dataDir, "latchkey.db");
  const rows = (sql: string): readonly Row[] =>
    inDatabase(file, (database) => database.prepare(sql).all());
  return {
    name: "SQLite",
    settings: { DATA_DIR: dataDir },
    users: async () => Number(rows("SELECT count(*) AS count FROM latchkey_users")[0]?.count),
    log: async () => rows("SELECT * FROM latchkey_log ORDER BY id").map(entryOf),
    integrity: async () =>
      rows("PRAGMA integrity_check")
        .map((row) => String(row.integrity_check))
        .filter((line) => line !== "ok"),
  };
}

/** Starts a PostgreSQL server that ends with the case. */
export async function postgresFor(
  context: CaseContext,
  folder: GuardedFolder,
): Promise<GateDatabase> {
  const server = await openPostgres();
  context.defer(() => server.close());
  const url = server.url(await server.createDatabase());
  const counted = async (sql: string): Promise<number> =>
    Number((await runSql(url, sql))[0]?.count);
  return {
    name: "PostgreSQL",
    settings: { DATA_DIR: dataDirIn(folder), DATABASE_URL: url },
    users: () => counted("SELECT count(*) FROM latchkey_users"),
    log: async () => (await runSql(url, "SELECT * FROM latchkey_log ORDER BY id")).map(entryOf),
    async integrity() {
      const twice = await counted(
        "SELECT count(*) - count(DISTINCT key) AS count FROM latchkey_log",
      );
      return twice === 0 ? [] : [`${twice} log entries are stored twice`];
    },
  };
}
