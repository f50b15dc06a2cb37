import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "../support/command.ts";
import { SECRET } from "../support/gate.ts";
import { serverOfFile } from "../support/postgres-file.ts";
import { requirePasswords } from "../support/postgres-security.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await serverOfFile();
await server.sql("CREATE ROLE app LOGIN PASSWORD 'right'");
await requirePasswords(server);

const PASSWORD = "s3cret";
const at = (place: string): string => `postgres://app:${PASSWORD}@${place}`;
const here = `127.0.0.1:${server.port}`;

const failures: readonly (readonly [command: string, url: string, reason: RegExp])[] = [
  ["serve", at(`${here}/postgres`), /password authentication failed/],
  ["setup-link", at(`${here}/postgres`), /password authentication failed/],
  ["log", at("127.0.0.1:1/postgres"), /ECONNREFUSED/],
  ["log", at("127.0.0.1:1,127.0.0.1:2/postgres"), /none of the hosts/],
  ["log", server.url("missing").replace("@", `:${PASSWORD}@`), /"missing" does not exist/],
  ["log", at(`${here}/postgres?sslmode=verify-full`), /does not support SSL/],
];

test("a command that cannot open its database prints one line without the password and exits with 1", async (t) => {
  for (const [command, DATABASE_URL, reason] of failures) {
    const env = { DATABASE_URL, DATA_DIR: await tempDir(t), AUTH_SECRET: SECRET, PORT: "0" };
    const refusal = await failureOf([command], { env });
    assert.match(refusal, reason);
    assert.ok(!refusal.includes(PASSWORD), refusal);
  }
});
