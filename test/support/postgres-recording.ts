import type { PostgresClient, PostgresPool } from "../../src/stores/postgres-query.ts";

/** What a pool was asked, in order. */
export interface Recording {
  readonly pool: PostgresPool;
  readonly asked: readonly Asked[];
}

export interface Asked {
  readonly text: string;
  /** By the monotonic clock. */
  readonly at: number;
}

/** The pool as it is, with everything noted that is asked through it. */
export function recording(inner: PostgresPool): Recording {
  const asked: Asked[] = [];
  const pool: PostgresPool = {
    connect: async () => noting(await inner.connect(), asked),
  };
  return { pool, asked };
}

function noting(client: PostgresClient, asked: Asked[]): PostgresClient {
  const query: PostgresClient["query"] = (one) => {
    asked.push({ text: one.text, at: performance.now() });
    return client.query(one);
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === "query") return query;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
