import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import pg from "pg";
import type { Db } from "../../../src/db/database.ts";
import { createPostgresDb, PATIENT_LIMITS } from "../../../src/db/postgres/dialect.ts";
import type { PostgresPool } from "../../../src/db/postgres/pool.ts";
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

const insertOne = (db: Db) => sql`INSERT INTO public.things VALUES (1)`.execute(db);

const first = new Error("the first error");

for (const [what, failure] of [
  ["without an answer", new Error("Query read timeout")],
  ["after the statement timeout", Object.assign(new Error("canceled"), { code: "57014" })],
  ["because it is rejected", Object.assign(new Error("refused"), { code: "42601" })],
] as const) {
  test(`a rollback that fails ${what} closes the connection and keeps the first error`, async (t) => {
    const pool = await realPool(t);
    const db = createPostgresDb(withFailingRollback(pool, failure), PATIENT_LIMITS);
    const work = db.transaction().execute(async (trx) => {
      await insertOne(trx);
      throw first;
    });
    await assert.rejects(work, first);
    assert.equal(pool.totalCount, 0);
  });
}

test("reuses the connection after a rollback", async (t) => {
  const pool = await realPool(t);
  const db = createPostgresDb(pool, PATIENT_LIMITS);
  const work = db.transaction().execute(async (trx) => {
    await insertOne(trx);
    await insertOne(trx);
  });
  await assert.rejects(work, { message: "a row with this value exists" });
  assert.equal(pool.totalCount, 1);
  const { rows } = await sql`SELECT id FROM public.things`.execute(db);
  assert.deepEqual(rows, []);
});
