import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/db/postgres/store.ts";
import { checkDatabase } from "../../src/doctor/database.ts";
import { runCommand } from "../support/command.ts";
import { startPostgres, startStandby } from "../support/postgres.ts";
import { requirePasswords, turnTlsOn } from "../support/postgres-security.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const checkAt = (DATABASE_URL: string) => findings(checkDatabase, { env: { DATABASE_URL } });

test("reports a hanging PostgreSQL", { timeout: 60_000 }, async (t) => {
  const own = await startPostgres(t);
  await own.freeze();
  const env = { DATABASE_URL: own.url(), DATA_DIR: await tempDir(t) };
  const { code, stdout } = await runCommand(["doctor"], { env });
  assert.equal(code, 1);
  assert.match(stdout, /PROBLEM +database .* does not answer: /m);
  await own.thaw();
});

test("reports standby and primary of two hosts, and a problem for a standby alone", async (t) => {
  const own = await startPostgres(t, { wal_level: "replica" });
  await (await openPostgres({ url: own.url() })).close();
  const standby = await startStandby(t, own);
  const both = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${own.port}/postgres`;
  assertFound(await checkAt(both), ["ok", /is the standby \(plain\), .* is the primary \(plain\)/]);
  assertFound(await checkAt(standby.url()), [
    "problem",
    /no host of DATABASE_URL accepts writes/,
    /promote/,
  ]);
  await standby.stop();
  assertFound(await checkAt(both), ["hint", new RegExp(`${standby.port} does not answer`)]);
});

test("reports two hosts that both accept writes, but not two names of one server", async (t) => {
  const own = await startPostgres(t, { wal_level: "replica" });
  await (await openPostgres({ url: own.url() })).close();
  const names = `postgres://postgres@127.0.0.1:${own.port},localhost:${own.port}/postgres`;
  assertFound(await checkAt(names), [
    "ok",
    /is the primary \(plain\), .* is the primary \(plain\)/,
  ]);
  const standby = await startStandby(t, own);
  await standby.sql("SELECT pg_promote()");
  const both = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${own.port}/postgres`;
  assertFound(await checkAt(both), ["problem", /both accept writes/, /stop the one/]);
});

test("reports an encrypted connection, and a wrong password without printing it", async (t) => {
  const own = await startPostgres(t);
  const ca = await turnTlsOn(own);
  const tls = `${own.url().replace("127.0.0.1", "localhost")}?sslmode=verify-full&sslrootcert=${ca}`;
  assertFound(await checkAt(tls), ["ok", /is the primary \(encrypted\)/]);

  await requirePasswords(own);
  await own.sql("CREATE USER guest PASSWORD 'right'");
  const url = `postgres://guest:wr0ng-p4ss@127.0.0.1:${own.port}/postgres`;
  const found = await checkAt(url);
  assertFound(found, ["problem", /password authentication failed for user "guest"$/, /password/]);
  assert.doesNotMatch(JSON.stringify(found), /wr0ng-p4ss/);
});
