import type { TestContext } from "node:test";
import pg from "pg";
import { eventually } from "./eventually.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Over a connection of its own, which it closes. */
export async function runSql(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // What is lost with the connection is told by the query, too.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Resolves once a statement in that database waits for a lock. */
export async function untilBlocked(url: string): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await eventually(async () => ((await runSql(url, waiting)).length > 0 ? true : undefined));
}

export interface Transaction {
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

/** On a connection of its own, open until it is ended or its connection is. */
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
