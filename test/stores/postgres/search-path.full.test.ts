import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { openPostgres, type PostgresStore } from "../../../src/stores/postgres/store.ts";
import { type Open, testStore } from "../../../src/testing/index.ts";
import { runSql } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openOnPool, openStoreAt } from "../../support/postgres-store.ts";
import { hashText } from "../../support/store.ts";
import { parts, rows, user } from "../either.ts";

const server = await sharedPostgres();

const LIMIT = { attempts: 5, windowMs: 60_000, maxTracked: 10 };
const OWNER = { username: "owner", passwordHash: hashText("a hash") };

const GRANT = "EXECUTE 'GRANT SELECT ON latchkey_users TO PUBLIC'";
/** A closer match for the arguments than what PostgreSQL brings. */
const shadows: Readonly<Record<string, string>> = {
  "the function unnest(timestamptz[])": `
    CREATE FUNCTION unnest(timestamptz[]) RETURNS SETOF timestamptz LANGUAGE plpgsql AS $$
    BEGIN ${GRANT}; RETURN QUERY SELECT pg_catalog.unnest($1); END $$`,
  "the operator interval * interval": `
    CREATE FUNCTION times(interval, interval) RETURNS interval LANGUAGE plpgsql AS $$
    BEGIN ${GRANT}; RETURN $2; END $$;
    CREATE OPERATOR * (LEFTARG = interval, RIGHTARG = interval, FUNCTION = times)`,
  "the operator timestamptz[] || timestamptz": `
    CREATE FUNCTION joined(timestamptz[], timestamptz) RETURNS timestamptz[] LANGUAGE plpgsql AS $$
    BEGIN ${GRANT}; RETURN pg_catalog.array_append($1, $2); END $$;
    CREATE OPERATOR || (LEFTARG = timestamptz[], RIGHTARG = timestamptz, FUNCTION = joined)`,
};

for (const [what, definition] of Object.entries(shadows)) {
  for (const by of ["its URL", "a pool of the caller's"]) {
    test(`a role that shadows ${what} in public gains nothing, with ${by}`, async (t) => {
      const url = await server.newDatabase();
      const role = `intruder_${new URL(url).pathname.slice(6)}`;
      await runSql(url, `CREATE ROLE ${role} LOGIN; GRANT CREATE ON SCHEMA public TO ${role}`);
      const intruder = url.replace("//postgres@", `//${role}@`);
      const store = by === "its URL" ? await openStoreAt(t, url) : (await openOnPool(t, url)).store;
      await store.users.insertFirst(OWNER);
      await runSql(intruder, definition);
      for (let n = 0; n < 2; n += 1) {
        assert.equal(await store.attempts.record("203.0.113.1", LIMIT), "allowed");
      }
      await store.attempts.forget(LIMIT);
      await assert.rejects(runSql(intruder, "SELECT * FROM latchkey_users"), /permission denied/);
    });
  }
}

/** Shadows every function and operator that can be defined again, and the types that casts name. */
const TRAPS = `
  CREATE FUNCTION public.trap() RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'found by its short name'; END $$;
  DO $do$
  DECLARE one record;
  BEGIN
    FOR one IN SELECT proname AS name, pg_get_function_identity_arguments(oid) AS arguments,
                 pg_get_function_result(oid) AS result
               FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a')
    LOOP
      BEGIN
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS
          ''BEGIN PERFORM public.trap(); END''', one.name, one.arguments, one.result);
      EXCEPTION WHEN OTHERS THEN NULL;
      END;
    END LOOP;
    FOR one IN SELECT oprname AS name, oprleft::regtype AS one, oprright::regtype AS other,
                 oprresult::regtype AS result, 'operator_' || oid AS function
               FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprkind = 'b'
    LOOP
      BEGIN
        EXECUTE format('CREATE FUNCTION public.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS
          ''BEGIN PERFORM public.trap(); END''', one.function, one.one, one.other, one.result);
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.%I)',
          one.name, one.one, one.other, one.function);
      EXCEPTION WHEN OTHERS THEN NULL;
      END;
    END LOOP;
  END $do$;
  CREATE DOMAIN public.text AS pg_catalog.text CHECK (public.trap() IS NULL);
  CREATE DOMAIN public.uuid AS pg_catalog.uuid CHECK (public.trap() IS NULL);
  CREATE DOMAIN public.timestamptz AS pg_catalog.timestamptz CHECK (public.trap() IS NULL)`;

const trapped = server.createDatabase().then(async (name) => {
  await server.sql(TRAPS, name);
  return name;
});

/** The URL of a database in which every name without its schema is a trap. */
async function trappedDatabase(): Promise<string> {
  const name = `trapped_${randomUUID().replaceAll("-", "")}`;
  await server.sql(`CREATE DATABASE ${name} TEMPLATE ${await trapped}`);
  await server.sql(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  return server.url(name);
}

const onTrappedPool: Open<PostgresStore> = async (t) => {
  const url = await trappedDatabase();
  return { connect: async () => (await openOnPool(t, url)).store };
};
testStore("PostgreSQL with everything shadowed", onTrappedPool, [...parts, "attempts"]);

test("traps catch names that are not qualified", async () => {
  const url = await trappedDatabase();
  for (const text of [
    "SELECT unnest(ARRAY[1])",
    "SELECT 1 < 2",
    "SELECT 'a'::text",
    "SELECT now()",
  ]) {
    await assert.rejects(runSql(url, text), /found by its short name/, text);
  }
  await assert.rejects(runSql(url, "SELECT count(*) FROM pg_class"), /not an aggregate/);
});

test("copies, imports and exports use no shadowed names", async (t) => {
  const { store } = await openOnPool(t, await trappedDatabase());
  const { transfer } = store;
  assert.equal(await transfer.importRows(rows([user("1")], ["one"]), async () => {}), "imported");
  assert.equal(await transfer.importRows(rows([], ["two"])), "imported");
  assert.equal((await transfer.findTaken([user("1")])).length, 1);
  assert.deepEqual(await transfer.readAmounts(), { users: 1, entries: 2 });
  assert.equal((await transfer.readRows("log", 1, 9)).length, 1);
  assert.deepEqual(await transfer.readRowsOf("sessions", ["1"]), []);
});

test("triggers use no shadowed names for any role that changes users", async (t) => {
  const url = await trappedDatabase();
  const store = await openStoreAt(t, url);
  await runSql(url, "INSERT INTO latchkey_users VALUES ('1', 'theirs', '')");
  assert.equal(await store.users.insertFirst(OWNER), undefined);
  await runSql(url, "DELETE FROM latchkey_users; TRUNCATE latchkey_users CASCADE");
  assert.notEqual(await store.users.insertFirst(OWNER), undefined);
});

test("creates the tables in the first existing schema of the search_path, and finds them after a rename", async (t) => {
  const url = await server.newDatabase();
  await runSql(url, `CREATE SCHEMA "Own ""one"""`);
  const at = (schema: string) =>
    `${url}?options=${encodeURIComponent(`-c search_path=missing,${schema.replaceAll(" ", "\\ ")},public`)}`;
  const store = await openStoreAt(t, at(`"Own ""one"""`));
  await store.users.insertFirst(OWNER);
  const places = "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename LIKE 'latchkey%'";
  assert.deepEqual(await runSql(url, places), [{ schemaname: 'Own "one"' }]);

  await runSql(url, `ALTER SCHEMA "Own ""one""" RENAME TO renamed`);
  const again = await openStoreAt(t, at("renamed"));
  assert.equal(await again.users.insertFirst(OWNER), undefined);
  assert.notEqual(await again.users.insert({ ...OWNER, username: "second" }), undefined);
  assert.deepEqual(await runSql(url, places), [{ schemaname: "renamed" }]);
});

test("refuses a search_path without an existing schema", async () => {
  const url = `${await server.newDatabase()}?options=-c%20search_path%3Dmissing`;
  await assert.rejects(openPostgres({ url }), { code: "database_schema_missing" });
});

test("does not change the search_path of connections in the caller's pool", async (t) => {
  const url = await server.newDatabase();
  const { store, pool } = await openOnPool(t, `${url}?options=-c%20search_path%3Dmine%2Cpublic`);
  await store.users.insertFirst(OWNER);
  await store.transfer.readAmounts();
  const paths = await Promise.all(
    Array.from({ length: pool.totalCount }, () => pool.query("SHOW search_path")),
  );
  for (const { rows } of paths) assert.deepEqual(rows, [{ search_path: "mine,public" }]);
});
