import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { link } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { failureOf } from "../../support/command.ts";
import { execute, inDatabase } from "../../support/database.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openNewStore } from "../../support/postgres-store.ts";
import { hashText } from "../../support/store.ts";
import { fileWith, tempDir } from "../../support/temp-dir.ts";
import { filled } from "./backup-place.ts";

const server = await sharedPostgres();

/** A database with an account and two entries. */
async function source(t: TestContext): Promise<string> {
  const { database } = await filled(t, ["owner"], 2);
  return database;
}

const freshFile = async (t: TestContext): Promise<string> => join(await tempDir(t), "target.db");

/** The one line that says why nothing is copied. */
const refusalOf = (from: string, to: string) => failureOf(["copy", "--from", from, "--to", to]);

/** The value of an option for a URL with a password, which the option itself rejects. */
const inFile = async (t: TestContext, url: string): Promise<string> =>
  `@${await fileWith(t, `${url}\n`)}`;

const wrong: readonly (readonly [string, RegExp])[] = [
  ["copy", /copy needs --from, with sqlite:PATH or a postgres:\/\/ URL/],
  ["copy --from sqlite:a", /copy needs --to/],
  ["copy --from= --to=sqlite:a", /--from needs a value/],
  [
    "copy --from data/latchkey.db --to sqlite:a",
    /--from: .* must start with postgres:\/\/ or sqlite:/,
  ],
  ["copy --from sqlite:a --to mysql://me:hunter2@host/db", /--to: .* must start with/],
  [
    "copy --from sqlite:a --to postgres://me:hunter2@host/db",
    /--to cannot have a password .* --to=@FILE; .*PGPASSWORD/,
  ],
  [
    "copy --from=postgres://a,b/db?user=me&password=hunter2 --to sqlite:a",
    /--from cannot have a password/,
  ],
  [
    "copy --from sqlite:a --to @/nowhere/hunter2",
    /--to names a file that cannot be read: no such file or folder/,
  ],
  ["copy --from sqlite:a --to @", /--to names a file that cannot be read: no such file or folder/],
  ["copy --from sqlite:a --to @/dev/null", /--to names an empty file/],
];
for (const [args, about] of wrong) {
  test(`latchkey ${args} is wrong usage, reported without the password`, async () => {
    const refusal = await failureOf(args.split(" "), {}, 2);
    assert.match(refusal, about);
    assert.doesNotMatch(refusal, /hunter2/);
  });
}

test("refuses a missing source and does not create it", async (t) => {
  const [missing, target] = [await freshFile(t), await freshFile(t)];
  const refusal = await refusalOf(`sqlite:${missing}`, `sqlite:${target}`);
  assert.match(refusal, /target\.db: there is no database at /);
  for (const file of [missing, target]) assert.deepEqual(readdirSync(join(file, "..")), []);
});

const notSources: Readonly<Record<string, readonly [string | Buffer, RegExp]>> = {
  "an empty file": ["", /file: it has no Latchkey tables/],
  "a file that is no database": ["no database".repeat(100), /file: file is not a database/],
};
for (const [what, [content, about]] of Object.entries(notSources)) {
  test(`refuses ${what} as the source and does not change it`, async (t) => {
    const file = await fileWith(t, content);
    assert.match(await refusalOf(`sqlite:${file}`, `sqlite:${await freshFile(t)}`), about);
    assert.equal(readFileSync(file, "utf8"), content);
    assert.deepEqual(readdirSync(join(file, "..")), ["file"]);
  });
}

test("refuses a source without users and entries", async (t) => {
  const file = await freshFile(t);
  (await openSqlite({ file })).close();
  const refusal = await refusalOf(`sqlite:${file}`, await server.newDatabase());
  assert.match(refusal, /target\.db has no users and no log entries/);
});

/** For one of the source: `test/db/later-schema.ts`. */
test("refuses a target of another schema and does not change it", async (t) => {
  const [from, to] = [await source(t), await source(t)];
  execute(to, "PRAGMA user_version = 99");
  assert.match(await refusalOf(`sqlite:${from}`, `sqlite:${to}`), /it has schema 99\b/);
  const left = inDatabase(to, (database) => database.prepare("PRAGMA user_version").get());
  assert.equal(left?.user_version, 99);
});

test("refuses to copy a database into itself under any name", async (t) => {
  const file = await source(t);
  const hardLink = `${file}-again`;
  await link(file, hardLink);
  const { url, store } = await openNewStore(t, server);
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("a hash") });
  for (const [from, to] of [
    [`sqlite:${file}`, `sqlite:${file}`],
    [`sqlite:${file}`, `sqlite:${hardLink}`],
    [url, url.replace("127.0.0.1", "localhost")],
  ] as const) {
    const refusal = await refusalOf(from, to);
    assert.match(refusal, / already has 1 user and \d log entries: copy into an empty/);
  }
});

test("refuses a target with accounts, and names it without its password", async (t) => {
  const { url, store } = await openNewStore(t, server);
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("its own") });
  const target = await inFile(t, url.replace("postgres@", "postgres:hunter2@"));
  const refusal = await refusalOf(`sqlite:${await source(t)}`, target);
  assert.match(refusal, /^postgres:\/\/127\.0\.0\.1:\d+\/\S+ already has 1 user and 0 log entries/);
  assert.doesNotMatch(refusal, /hunter2/);
  assert.equal((await store.users.findByName("owner"))?.passwordHash, "its own");
});

for (const [what, url] of [
  ["a server that does not listen", "postgres://me:hunter2@127.0.0.1:1/db"],
  ["a database that does not exist", server.url("nowhere").replace("@", ":hunter2@")],
] as const) {
  for (const side of ["from", "to"] as const) {
    test(`reports ${what} as --${side} in one line without the password`, async (t) => {
      const file = `sqlite:${await source(t)}`;
      const at = await inFile(t, url);
      const refusal = await (side === "from" ? refusalOf(at, `${file}.new`) : refusalOf(file, at));
      assert.match(
        refusal,
        /^cannot use postgres:\/\/127\.0\.0\.1:\d+\/\w+: (connect ECONNREFUSED [\d.:]+|database "nowhere" does not exist)$/,
      );
    });
  }
}

test("refuses a target in a missing folder", async (t) => {
  const target = join(await tempDir(t), "missing", "latchkey.db");
  const refusal = await refusalOf(`sqlite:${await source(t)}`, `sqlite:${target}`);
  assert.match(refusal, /^cannot create .*missing\/latchkey\.db: no such file or folder$/);
});
