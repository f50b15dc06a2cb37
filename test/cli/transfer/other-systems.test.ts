import assert from "node:assert/strict";
import { test } from "node:test";
import { toIdentityId, UNSET_PASSWORD } from "../../../src/db/records.ts";
import { text } from "../../docs/pages.ts";
import { runCommand } from "../../support/command.ts";
import { runSql } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openStore } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { HASH } from "./import-file.ts";

const server = await sharedPostgres();

/** The statements of the page, in the order of the systems in its heading. */
const statements = [...text("docs/import.md").matchAll(/```sql\n(.*?)```/gs)].map(
  ([, statement = ""]) => statement,
);

/** The tables as the packages create them, as far as they matter here. */
const BETTER_AUTH = `
  CREATE TABLE "user" (id text PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE,
    "emailVerified" boolean NOT NULL);
  CREATE TABLE account (id text PRIMARY KEY, "accountId" text NOT NULL, "providerId" text NOT NULL,
    "userId" text NOT NULL REFERENCES "user", password text);
  INSERT INTO "user" VALUES ('u1', 'Ada', 'ada@example.org', true), ('u2', 'Bob', 'bob@example.org', false),
    ('u3', 'Eve', 'eve@example.org', false);
  INSERT INTO account VALUES ('a1', 'u1', 'credential', 'u1', '${HASH}'),
    ('a2', '104', 'google', 'u1', NULL), ('a3', '583231', 'github', 'u2', NULL),
    ('a4', '7', 'microsoft', 'u3', NULL);`;

const AUTH_JS = `
  CREATE TABLE users (id serial PRIMARY KEY, name varchar(255), email varchar(255),
    "emailVerified" timestamptz, image text);
  CREATE TABLE accounts (id serial PRIMARY KEY, "userId" integer NOT NULL, type varchar(255) NOT NULL,
    provider varchar(255) NOT NULL, "providerAccountId" varchar(255) NOT NULL);
  INSERT INTO users (name, email, "emailVerified") VALUES ('Ada', 'ada@example.org', now()),
    ('Bob', 'bob@example.org', NULL);
  INSERT INTO accounts ("userId", type, provider, "providerAccountId") VALUES (1, 'oidc', 'google', '104'),
    (2, 'oauth', 'github', '583231');`;

const GOOGLE = toIdentityId("https://accounts.google.com", "104");
const GITHUB = toIdentityId("https://github.com", "583231");

for (const [at, [system, tables, hash]] of [
  ["better-auth", BETTER_AUTH, HASH] as const,
  ["Auth.js", AUTH_JS, UNSET_PASSWORD] as const,
].entries()) {
  test(`the statement for ${system} brings passwords, addresses and linked accounts`, async (t) => {
    const theirs = await server.newDatabase();
    await runSql(theirs, tables);
    const rows = await runSql(theirs, statements[at] ?? "");
    const DATA_DIR = await tempDir(t);
    const { stdout } = await runCommand(["import", "--username-from", "email", "--skip-bad", "-"], {
      env: { DATA_DIR },
      input: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    });
    assert.match(stdout, /^Imported 2 users/);
    const store = await openStore(t, `${DATA_DIR}/latchkey.db`);
    const now = new Date();
    const ada = await store.identities.findUser(GOOGLE, now);
    const bob = await store.identities.findUser(GITHUB, now);
    assert.deepEqual([ada?.username, ada?.passwordHash], ["ada@example.org", hash]);
    assert.deepEqual([bob?.username, bob?.passwordHash], ["bob@example.org", UNSET_PASSWORD]);
    const { profile } = (await store.users.findByName("ada@example.org")) ?? {};
    assert.equal(profile?.verifiedEmail, "ada@example.org");
    assert.equal(await store.users.findByName("eve@example.org"), undefined);
  });
}
