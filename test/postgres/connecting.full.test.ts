import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openPostgres } from "../../src/db/postgres/store.ts";
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

test("connects with the TLS that the URL asks for", async (t) => {
  for (const [host, query, ssl] of [
    ["localhost", "", false],
    ["localhost", "sslmode=disable", false],
    ["localhost", `sslmode=verify-full&sslrootcert=${ca}`, true],
    ["localhost", `sslmode=verify-ca&sslrootcert=${ca}`, true],
    ["localhost", `sslmode=require&sslrootcert=${ca}`, true],
    ["localhost", `sslrootcert=${ca}`, true],
    ["127.0.0.1", "sslmode=no-verify", true],
  ] as const) {
    assert.equal(await encryptionOf(t, host, query), ssl, query);
  }
});

test("rejects a certificate of an unknown CA and one for another name", async (t) => {
  for (const [host, query] of [
    ["localhost", "sslmode=verify-full"],
    ["localhost", "sslmode=require"],
    ["127.0.0.1", `sslmode=verify-full&sslrootcert=${ca}`],
    ["127.0.0.1", `sslmode=verify-ca&sslrootcert=${ca}`],
  ] as const) {
    const url = `postgres://postgres@${host}:${server.port}/postgres?${query}`;
    await assert.rejects(openStoreAt(t, url), ({ cause }: Error) => {
      assert.match(String(cause), /certificate|altnames/i, query);
      return true;
    });
  }
});

test("connects to a Unix socket given as a parameter or as the host", async (t) => {
  const { port, socketFolder } = server;
  for (const url of [
    `postgres:///postgres?host=${socketFolder}&port=${port}&user=postgres`,
    `postgres://postgres@${encodeURIComponent(socketFolder)}:${port}/postgres`,
  ]) {
    assert.equal(await (await openStoreAt(t, url)).users.any(), false);
  }
});

test("accepts unusual characters in a SCRAM password and rejects a wrong one", async (t) => {
  const guarded = await startPostgres(t);
  const password = "pä:s/s@w%rd ½?#";
  await guarded.sql(`CREATE ROLE app LOGIN PASSWORD '${password}'`);
  await guarded.sql("CREATE DATABASE apps OWNER app");
  await requirePasswords(guarded);
  const urlWith = (given: string): string =>
    `postgres://app:${encodeURIComponent(given)}@127.0.0.1:${guarded.port}/apps`;

  assert.equal(await (await openStoreAt(t, urlWith(password))).users.any(), false);
  await assert.rejects(openPostgres({ url: urlWith("wrong") }), { code: "28P01" });
});
