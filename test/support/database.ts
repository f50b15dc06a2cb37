import { DatabaseSync } from "node:sqlite";

/** Accesses a gate's database directly, to break it or to read what no page shows. */
export function inDatabase<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

export function execute(file: string, sql: string): void {
  inDatabase(file, (database) => database.exec(sql));
}

export function countOf(file: string, table: "users" | "log_entries"): number {
  return inDatabase(file, (database) =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count),
  );
}

/** Makes such statements fail with this text. */
export function refuse(file: string, statement: string, text: string): void {
  const trigger = `CREATE TRIGGER refused BEFORE ${statement} BEGIN SELECT RAISE(ABORT, '${text}'); END`;
  execute(file, trigger);
}

export function stopRefusing(file: string): void {
  execute(file, "DROP TRIGGER refused");
}
