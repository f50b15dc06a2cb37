import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { Unavailable } from "../../../src/core/fault.ts";
import type { PostgresClient, PostgresPool } from "../../../src/stores/postgres/query.ts";
import { inTransaction } from "../../../src/stores/postgres/transaction.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";

const server = await sharedPostgres();

async function realPool(t: TestContext): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await server.newDatabase(), max: 1 });
  pool.on("error", () => undefined);
  t.after(() => pool.end());
  await pool.query("CREATE TABLE public.things (id integer PRIMARY KEY)");
  return pool;
}

/** The pool with connections that fail to roll back. */
const withoutRollback = (pool: pg.Pool, failure: Error): PostgresPool => ({
  connect: async () => {
    const client: PostgresClient = await pool.connect();
    const query: PostgresClient["query"] = async (asked) => {
      if (asked.text === "ROLLBACK") throw failure;
      return client.query(asked);
    };
    return new Proxy(client, {
      get(target, name) {
        if (name === "query") return query;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  },
});

const first = new Error("the first error");

for (const [what, failure] of [
  ["without an answer", new Error("Query read timeout")],
  ["after the statement timeout", Object.assign(new Error("canceled"), { code: "57014" })],
  ["because it is rejected", Object.assign(new Error("refused"), { code: "42601" })],
] as const) {
  test(`a rollback that fails ${what} closes the connection and keeps the first error`, async (t) => {
    const pool = await realPool(t);
    const work = inTransaction(withoutRollback(pool, failure), async (ask) => {
      await ask("INSERT INTO public.things VALUES (1)");
      throw first;
    });
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof Unavailable);
      assert.ok(error.cause instanceof Error);
      assert.deepEqual([error.cause.message, error.cause.cause], [failure.message, first]);
      return true;
    });
    assert.equal(pool.totalCount, 0);
    // On a connection that was left in the transaction, this would find the row.
    assert.deepEqual((await pool.query("SELECT id FROM public.things")).rows, []);
  });
}

test("reuses the connection after a rollback", async (t) => {
  const pool = await realPool(t);
  const work = inTransaction(pool, async (ask) => {
    await ask("INSERT INTO public.things VALUES (1)");
    await ask("INSERT INTO public.things VALUES (1)");
  });
  await assert.rejects(work, { code: "23505" });
  assert.equal(pool.totalCount, 1);
  const rows = await inTransaction(pool, (ask) => ask("SELECT id FROM public.things"));
  assert.deepEqual(rows, []);
});
