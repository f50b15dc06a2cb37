import { join } from "node:path";
import { inDatabase } from "../../test/support/database.ts";
import { openPostgres } from "../../test/support/postgres.ts";
import { runSql } from "../../test/support/postgres-admin.ts";
import type { GuardedFolder } from "../../test/support/postgres-folder.ts";
import type { Stage } from "./case.ts";
import { dataDirIn } from "./gate.ts";
import type { WrittenEntry } from "./judge/log.ts";

/** What stands in a gate's database, read behind its back. */
export interface Ground {
  readonly name: string;
  /** What the gate has to be told to use it. */
  readonly settings: Readonly<Record<string, string>>;
  users(): Promise<number>;
  log(): Promise<readonly WrittenEntry[]>;
  /** What the database itself says of its soundness. */
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

export function sqliteIn(folder: GuardedFolder, dataDir: string = dataDirIn(folder)): Ground {
  const file = join(dataDir, "latchkey.db");
  const rows = (sql: string): readonly Row[] =>
    inDatabase(file, (database) => database.prepare(sql).all());
  return {
    name: "SQLite",
    settings: { DATA_DIR: dataDir },
    users: async () => Number(rows("SELECT count(*) AS count FROM users")[0]?.count),
    log: async () => rows("SELECT * FROM log_entries ORDER BY id").map(entryOf),
    integrity: async () =>
      rows("PRAGMA integrity_check")
        .map((row) => String(row.integrity_check))
        .filter((line) => line !== "ok"),
  };
}

/** A real server of its own, gone with the case. */
export async function postgresFor(stage: Stage, folder: GuardedFolder): Promise<Ground> {
  const server = await openPostgres();
  stage.defer(() => server.close());
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
      return twice === 0 ? [] : [`${twice} log entries stand there twice`];
    },
  };
}
