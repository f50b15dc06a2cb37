import type { PostgresClient, PostgresPool } from "../../src/stores/postgres/query.ts";

/** A pool that delays the result of each query until `holdBack` resolves, or fails with it. */
export function recording(
  inner: PostgresPool,
  holdBack: (text: string) => Promise<unknown>,
): { readonly pool: PostgresPool } {
  return { pool: { connect: async () => holding(await inner.connect(), holdBack) } };
}

function holding(
  client: PostgresClient,
  holdBack: (text: string) => Promise<unknown>,
): PostgresClient {
  const query: PostgresClient["query"] = async (one) => {
    const answer = await client.query(one);
    await holdBack(one.text);
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
