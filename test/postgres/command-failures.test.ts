import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "../support/command.ts";
import { SECRET } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await sharedPostgres();

const PASSWORD = "s3cret";
const withPassword = (url: string): string => url.replace("@", `:${PASSWORD}@`);
const missing = withPassword(server.url("missing"));
const at = (place: string): string => `postgres://app:${PASSWORD}@${place}`;

const failures: readonly (readonly [command: string, url: string, reason: RegExp])[] = [
  ["serve", missing, /"missing" does not exist/],
  ["setup-link", missing, /"missing" does not exist/],
  ["log", at("127.0.0.1:1/postgres"), /ECONNREFUSED/],
  ["log", at("127.0.0.1:1,127.0.0.1:2/postgres"), /none of the hosts/],
  ["log", `${withPassword(server.url("postgres"))}?sslmode=verify-full`, /does not support SSL/],
];

test("a command that cannot open its database prints one line without secrets", async (t) => {
  for (const [command, DATABASE_URL, reason] of failures) {
    const env = { DATABASE_URL, DATA_DIR: await tempDir(t), AUTH_SECRET: SECRET, PORT: "0" };
    const refusal = await failureOf([command], { env });
    assert.match(refusal, reason);
    assert.ok(!refusal.includes(PASSWORD), refusal);
  }
});
