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

const BLOCKED = `FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`;

/** Resolves once so many statements in that database wait for a lock. */
export async function untilBlocked(url: string, count = 1): Promise<void> {
  await eventually(async () => {
    const blocked = await runSql(url, `SELECT ${BLOCKED}`);
    return blocked.length >= count || undefined;
  });
}

/** Ends the connections of those who wait for a lock in that database. */
export async function endBlocked(url: string): Promise<void> {
  await runSql(url, `SELECT pg_terminate_backend(pid) ${BLOCKED}`);
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
