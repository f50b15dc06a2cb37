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

/** Runs an insertion that can select each `n` of the range from the table `numbers`. */
export function insertMany(file: string, from: number, to: number, insertion: string): void {
  const next = `SELECT n + 1 FROM numbers WHERE n < ${to}`;
  execute(file, `WITH RECURSIVE numbers (n) AS (VALUES (${from}) UNION ${next}) ${insertion}`);
}

/** The values of each row, in the order of the columns. */
export const valuesOf = (file: string, query: string): readonly (readonly unknown[])[] =>
  inDatabase(file, (database) => database.prepare(query).all().map(Object.values));

export const countOf = (file: string, table: "latchkey_users" | "latchkey_log"): number =>
  Number(valuesOf(file, `SELECT count(*) FROM ${table}`)[0]?.[0]);

/** Makes such statements fail with this text. */
export function refuse(file: string, statement: string, text: string): void {
  const trigger = `CREATE TRIGGER refused BEFORE ${statement} BEGIN SELECT RAISE(ABORT, '${text}'); END`;
  execute(file, trigger);
}

export function stopRefusing(file: string): void {
  execute(file, "DROP TRIGGER refused");
}

/** The setup token that an SQLite database keeps, in a list that is empty without one. */
export const setupTokensIn = (file: string): readonly string[] =>
  inDatabase(file, (database) =>
    database
      .prepare("SELECT token FROM latchkey_setup_tokens")
      .all()
      .map((row) => String(row.token)),
  );
