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

const failures: Readonly<Record<string, readonly [url: string, reason: RegExp]>> = {
  "a wrong password": [at(`${here}/postgres`), /password authentication failed/],
  "an unreachable server": [at("127.0.0.1:1/postgres"), /ECONNREFUSED/],
  "several unreachable servers": [at("127.0.0.1:1,127.0.0.1:2/postgres"), /none of the hosts/],
  "a missing socket": [
    `postgres:///postgres?host=/nowhere&user=app&password=${PASSWORD}`,
    /ENOENT \/nowhere/,
  ],
  "a database that does not exist": [
    server.url("missing").replace("@", `:${PASSWORD}@`),
    /database "missing" does not exist/,
  ],
  "a server without TLS when TLS is required": [
    at(`${here}/postgres?sslmode=verify-full`),
    /does not support SSL/,
  ],
};

/** The commands that open the database. */
const commandsWith = (what: string): readonly string[] =>
  what === "a wrong password" ? ["serve", "log", "setup-link"] : ["log"];

for (const [what, [url, reason]] of Object.entries(failures)) {
  for (const command of commandsWith(what)) {
    test(`${command} with ${what} prints one line without the password and exits with 1`, async (t) => {
      const env = { DATABASE_URL: url, DATA_DIR: await tempDir(t), AUTH_SECRET: SECRET, PORT: "0" };
      const refusal = await failureOf([command], { env });
      assert.match(refusal, reason);
      assert.ok(!refusal.includes(PASSWORD), refusal);
    });
  }
}
