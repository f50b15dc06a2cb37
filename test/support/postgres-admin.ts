import type { TestContext } from "node:test";
import pg from "pg";
import { eventually } from "./eventually.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Uses a separate connection and closes it. */
export async function runSql(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // The query also reports a lost connection.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Sets what new connections to the database have by default. */
export async function setDefault(url: string, name: string, value: string): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  await runSql(url, `ALTER DATABASE ${database} SET ${name} = '${value}'`);
}

/** Resolves once this many statements in the database wait for a lock. */
export async function untilBlocked(url: string, count = 1): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await eventually(async () => (await runSql(url, waiting)).length >= count || undefined);
}

export interface Transaction {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

/** Uses a separate connection. Open until it ends or the connection is terminated. */
export async function openTransaction(t: TestContext, url: string): Promise<Transaction> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  t.after(() => client.end());
  await client.query("BEGIN");
  return {
    query: (text) => client.query(text),
    end: () => client.query("COMMIT").then(() => undefined),
  };
}
