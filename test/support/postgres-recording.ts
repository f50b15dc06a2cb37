import type { PostgresClient, PostgresPool } from "../../src/stores/postgres/query.ts";

/** The queries of a pool, in order. */
export interface Recording {
  readonly pool: PostgresPool;
  readonly asked: readonly Asked[];
}

export interface Asked {
  readonly text: string;
  /** By the monotonic clock. */
  readonly at: number;
}

/** Delays the result of a query until it resolves. */
export type HoldingBack = (text: string, asked: readonly Asked[]) => Promise<unknown>;

const atOnce: HoldingBack = async () => undefined;

/** A pool that records its queries. */
export function recording(inner: PostgresPool, holdBack: HoldingBack = atOnce): Recording {
  const asked: Asked[] = [];
  const pool: PostgresPool = {
    connect: async () => noting(await inner.connect(), asked, holdBack),
  };
  return { pool, asked };
}

function noting(client: PostgresClient, asked: Asked[], holdBack: HoldingBack): PostgresClient {
  const query: PostgresClient["query"] = async (one) => {
    asked.push({ text: one.text, at: performance.now() });
    const answer = await client.query(one);
    await holdBack(one.text, asked);
    return answer;
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === "query") return query;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
