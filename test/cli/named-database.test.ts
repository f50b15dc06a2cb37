import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../support/command.ts";
import { OWNER } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await sharedPostgres();
const input = `${OWNER.password}\n`;

const changes: readonly (readonly string[])[] = [
  ["user", "add", "owner", "--password-stdin", "--create"],
  ["user", "add", "guest", "--password-stdin"],
  ["user", "password", "guest", "--password-stdin"],
  ["user", "groups", "guest", "family"],
  ["user", "rename", "guest", "visitor"],
  ["user", "forget-name", "guest"],
  ["user", "codes", "off", "visitor"],
  ["user", "sign-out", "--all"],
  ["key", "add", "backup", "--user", "owner"],
  ["link", "invite"],
  ["link", "reset", "owner"],
  ["user", "remove", "visitor", "--yes"],
];

test("each command that changes accounts names the SQLite file on standard error", async (t) => {
  const DATA_DIR = await tempDir(t);
  const env = { DATA_DIR, PUBLIC_URL: "https://auth.example.org" };
  const line = `latchkey: the database is sqlite:${join(DATA_DIR, "latchkey.db")}\n`;
  for (const args of changes) {
    const { code, stdout, stderr } = await runCommand(args, { env, input });
    assert.equal(code, 0, stderr);
    assert.ok(stderr.endsWith(line), `${args.join(" ")}: ${stderr}`);
    assert.doesNotMatch(stdout, /latchkey\.db/);
  }
});

test("commands name a PostgreSQL database without its user and password", async () => {
  const url = new URL(await server.newDatabase());
  const env = { DATABASE_URL: url.href };
  const [args = []] = changes;
  const { code, stderr } = await runCommand(args, { env, input });
  assert.equal(code, 0, stderr);
  const place = `postgres://${url.hostname}:${url.port}${url.pathname}`;
  assert.equal(stderr, `latchkey: the database is ${place}\n`);
});
