import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openPostgres } from "../../src/stores/postgres/store.ts";
import { startPostgres } from "../support/postgres.ts";
import { serverOfFile } from "../support/postgres-file.ts";
import { requirePasswords, turnTlsOn } from "../support/postgres-security.ts";
import { openStoreAt } from "../support/postgres-store.ts";

const server = await serverOfFile();
const ca = await turnTlsOn(server);

/** Whether the server reports the store's connection to that database as encrypted. */
async function encryptionOf(t: TestContext, host: string, query: string): Promise<unknown> {
  const database = await server.createDatabase();
  await openStoreAt(t, `postgres://postgres@${host}:${server.port}/${database}?${query}`);
  const [row] = await server.sql(
    `SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
     WHERE datname = '${database}'`,
  );
  return row?.ssl;
}

for (const [host, query, ssl] of [
  ["localhost", "", false],
  ["localhost", "sslmode=disable", false],
  ["localhost", `sslmode=verify-full&sslrootcert=${ca}`, true],
  ["localhost", `sslmode=verify-ca&sslrootcert=${ca}`, true],
  ["localhost", `sslmode=require&sslrootcert=${ca}`, true],
  ["localhost", `sslrootcert=${ca}`, true],
  ["localhost", `sslmode=verify-full&sslrootcert=${ca}&channel_binding=prefer`, true],
  ["localhost", "sslmode=no-verify", true],
  ["127.0.0.1", "sslmode=no-verify", true],
] as const) {
  const shown = query.replace(ca, "ca.crt");
  test(`connects to ${host} with "${shown}" ${ssl ? "with" : "without"} TLS`, async (t) => {
    assert.equal(await encryptionOf(t, host, query), ssl);
  });
}

for (const [what, host, query] of [
  ["a certificate of an unknown CA", "localhost", "sslmode=verify-full"],
  ["a certificate of an unknown CA with sslmode=require", "localhost", "sslmode=require"],
  ["a certificate for another name", "127.0.0.1", `sslmode=verify-full&sslrootcert=${ca}`],
  [
    "a certificate for another name with sslmode=verify-ca",
    "127.0.0.1",
    `sslmode=verify-ca&sslrootcert=${ca}`,
  ],
] as const) {
  test(`rejects ${what}`, async (t) => {
    const url = `postgres://postgres@${host}:${server.port}/postgres?${query}`;
    await assert.rejects(openStoreAt(t, url), ({ cause }: Error) => {
      assert.match(String(cause), /certificate|altnames/i);
      return true;
    });
  });
}

const { port, socketFolder } = server;

for (const [what, url] of [
  ["as a parameter", `postgres:///postgres?host=${socketFolder}&port=${port}&user=postgres`],
  ["as the host", `postgres://postgres@${encodeURIComponent(socketFolder)}:${port}/postgres`],
] as const) {
  test(`connects to a Unix socket given ${what}`, async (t) => {
    const store = await openStoreAt(t, url);
    assert.equal(await store.hasUsers(), false);
  });
}

test("accepts unusual characters in a SCRAM password and rejects a wrong one", async (t) => {
  const guarded = await startPostgres(t);
  const password = "pä:s/s@w%rd ½?#";
  await guarded.sql(`CREATE ROLE app LOGIN PASSWORD '${password}'`);
  await guarded.sql("CREATE DATABASE apps OWNER app");
  await requirePasswords(guarded);
  const urlWith = (given: string): string =>
    `postgres://app:${encodeURIComponent(given)}@127.0.0.1:${guarded.port}/apps`;

  assert.equal(await (await openStoreAt(t, urlWith(password))).hasUsers(), false);
  const parameter = `postgres://127.0.0.1:${guarded.port}/apps?user=app&password=${encodeURIComponent(password)}`;
  assert.equal(await (await openStoreAt(t, parameter)).hasUsers(), false);
  await assert.rejects(openPostgres({ url: urlWith("wrong") }), { code: "28P01" });
});

test("skips hosts that do not answer", async (t) => {
  const database = await server.createDatabase();
  const url = `postgres://postgres@127.0.0.1:1,127.0.0.1:${server.port}/${database}`;
  const store = await openStoreAt(t, url);
  assert.equal(await store.hasUsers(), false);
});

test("fails soon when no host accepts writes", async () => {
  const url = "postgres://postgres@127.0.0.1:1,127.0.0.1:2/postgres";
  await assert.rejects(openPostgres({ url }), { code: "store_unavailable" });
});
