import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { Unavailable } from "../../../src/core/base/fault.ts";
import { type PostgresPool, slowlyOn } from "../../../src/stores/postgres/query.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";

const server = await sharedPostgres();

async function realPool(t: TestContext): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await server.newDatabase(), max: 1 });
  pool.on("error", () => undefined);
  t.after(() => pool.end());
  await pool.query("CREATE TABLE public.things (id integer PRIMARY KEY)");
  return pool;
}

/** The pool, but each rollback ends with the failure after it is done. */
function withFailingRollback(pool: PostgresPool, failure: Error): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      const query = client.query.bind(client);
      client.query = async (one) => {
        const answer = await query(one);
        if (one.text === "ROLLBACK") throw failure;
        return answer;
      };
      return client;
    },
  };
}

const first = new Error("the first error");

for (const [what, failure] of [
  ["without an answer", new Error("Query read timeout")],
  ["after the statement timeout", Object.assign(new Error("canceled"), { code: "57014" })],
  ["because it is rejected", Object.assign(new Error("refused"), { code: "42601" })],
] as const) {
  test(`a rollback that fails ${what} closes the connection and keeps the first error`, async (t) => {
    const pool = await realPool(t);
    const work = slowlyOn(withFailingRollback(pool, failure), async (ask) => {
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
  });
}

test("reuses the connection after a rollback", async (t) => {
  const pool = await realPool(t);
  const work = slowlyOn(pool, async (ask) => {
    await ask("INSERT INTO public.things VALUES (1)");
    await ask("INSERT INTO public.things VALUES (1)");
  });
  await assert.rejects(work, { code: "23505" });
  assert.equal(pool.totalCount, 1);
  const rows = await slowlyOn(pool, (ask) => ask("SELECT id FROM public.things"));
  assert.deepEqual(rows, []);
});
