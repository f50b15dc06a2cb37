import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Process } from "../../../src/cli/command.ts";
import { runLatchkey } from "../../../src/cli/latchkey.ts";
import { failureOf, outputOf, runCommand } from "../../support/command.ts";
import { runSql } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { fileWith, tempDir } from "../../support/temp-dir.ts";
import { places } from "../user/either.ts";
import { sqlitePlace } from "../user/place.ts";
import { csvOf, HASH, HEADER } from "./import-file.ts";

const server = await sharedPostgres();
const JSON_LINES = `{"username":"guest","password_hash":"${HASH}","id":"7","sessions_from":1700000000}
{"Username":"Jürgen \\"J\\" O'Neil","PasswordHash":"${HASH}","extra":[1]}
`;

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: import adds the users of a CSV file to existing users`, async (t) => {
    const place = await open(t, "owner");
    const { owner } = await place.accounts();
    const file = await fileWith(t, csvOf("guest", '"a ""quoted"", name"'));
    const printed = await outputOf(["import", file], { env: place.env });
    assert.equal(printed, "Imported 2 users\n");
    const accounts = await place.accounts();
    assert.deepEqual(Object.keys(accounts).sort(), ['a "quoted", name', "guest", "owner"]);
    assert.deepEqual(accounts.owner, owner);
    assert.equal(accounts.guest?.passwordHash, HASH);
    assert.deepEqual(await place.entries(), ["cli user_import: Imported accounts: 2"]);
  });

  test(`${kind}: import - reads JSON lines with IDs, and ends all sessions`, async (t) => {
    const place = await open(t, "owner");
    const printed = await outputOf(["import", "-"], { env: place.env, input: JSON_LINES });
    assert.equal(printed, "Imported 2 users\n");
    const { guest, ...others } = await place.accounts();
    const { sessionsFrom = 0, ...facts } = guest ?? {};
    assert.ok(Math.abs(sessionsFrom - Date.now() / 1_000) < 60);
    assert.deepEqual(facts, { id: "7", username: "guest", passwordHash: HASH });
    const unknown = others[`Jürgen "J" O'Neil`];
    assert.deepEqual([unknown?.passwordHash, unknown?.sessionsFrom], [HASH, undefined]);
  });

  test(`${kind}: a bad line stops the import, and each is reported`, async (t) => {
    const place = await open(t, "owner");
    const before = await place.accounts();
    const file = await fileWith(t, `${csvOf("guest", "owner", "guest")},${HASH}\nx,hunter2\ny\n`);
    const { code, stdout, stderr } = await runCommand(["import", file], { env: place.env });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.equal(
      stderr,
      [
        "latchkey: line 4: line 2 has the same username",
        "latchkey: line 5: username is missing",
        "latchkey: line 6: unknown password_hash format",
        "latchkey: line 7: it has 1 field instead of 2",
        "latchkey: line 3: an account with this username already exists",
        "latchkey: nothing was imported: 5 lines refused (--skip-bad imports the others)\n",
      ].join("\n"),
    );
    assert.deepEqual(await place.accounts(), before);
    assert.deepEqual(await place.entries(), []);
  });

  test(`${kind}: --skip-bad imports the other lines and still exits with 1`, async (t) => {
    const place = await open(t, "owner");
    const file = await fileWith(t, `${csvOf("guest", "owner")}x,hunter2\n`);
    const args = ["import", "--skip-bad", file];
    const { code, stdout, stderr } = await runCommand(args, { env: place.env });
    assert.equal(code, 1);
    assert.equal(stdout, "Imported 1 user; 2 lines refused\n");
    assert.equal(stderr.split("\n").length, 4);
    assert.match(stderr, /latchkey: the database is .*\n$/);
    assert.deepEqual(Object.keys(await place.accounts()).sort(), ["guest", "owner"]);
  });

  test(`${kind}: --dry-run reports what it would import and changes nothing`, async (t) => {
    const place = await open(t, "owner");
    const before = await place.accounts();
    const good = await fileWith(t, csvOf("a", "b"));
    const bad = await fileWith(t, csvOf("a", "owner"));
    const printed = await outputOf(["import", "--dry-run", good], { env: place.env });
    assert.equal(printed, "Would import 2 users\n");
    const refused = await runCommand(["import", "--dry-run", bad], { env: place.env });
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /^latchkey: line 3: an account with this username /);
    assert.deepEqual(await place.accounts(), before);
    assert.deepEqual(await place.entries(), []);
  });
}

test("import creates a missing database that only its owner can read", async (t) => {
  const DATA_DIR = join(await tempDir(t), "new");
  const [good, bad] = [await fileWith(t, csvOf("owner")), await fileWith(t, csvOf("a", "a"))];
  assert.equal((await runCommand(["import", bad], { env: { DATA_DIR } })).code, 1);
  await outputOf(["import", "--dry-run", good], { env: { DATA_DIR } });
  assert.deepEqual(await readdir(join(DATA_DIR, "..")), [], "a look and a bad file make none");
  await outputOf(["import", good], { env: { DATA_DIR } });
  assert.deepEqual(await readdir(DATA_DIR), ["latchkey.db"]);
  const list = await outputOf(["user", "list"], { env: { DATA_DIR } });
  assert.match(list, /^owner {2}- {2}- {2}[0-9a-f-]{36}\n$/);
});

test("import creates missing tables, and a dry run does not", async (t) => {
  const env = { DATABASE_URL: await server.newDatabase(), DATA_DIR: await tempDir(t) };
  const file = await fileWith(t, csvOf("owner"));
  const tables = "SELECT FROM pg_tables WHERE tablename LIKE 'latchkey%'";
  await outputOf(["import", "--dry-run", file], { env });
  assert.deepEqual(await runSql(env.DATABASE_URL, tables), []);
  await outputOf(["import", file], { env });
  await outputOf(["user", "list"], { env });
});

test("reports an empty or unreadable file in one line and imports nothing", async (t) => {
  const place = await sqlitePlace(t);
  for (const [text, problem] of [
    [HEADER, /^there is nothing to import in \/\S+$/],
    [`owner,${HASH}\n`, /nothing was imported: the first line must name the columns/],
  ] as const) {
    const file = await fileWith(t, text);
    assert.match(await failureOf(["import", "--skip-bad", file], { env: place.env }), problem);
    assert.deepEqual(await place.accounts(), {});
  }
  const refusal = await failureOf(["import", "-"], { env: place.env });
  assert.equal(refusal, "there is nothing to import in standard input");
});

test("names a missing file or a folder and creates no database", async (t) => {
  const folder = await tempDir(t);
  const DATA_DIR = join(folder, "new");
  for (const [file, problem] of [
    [join(folder, "none"), `cannot read ${folder}/none: no such file or folder`],
    [folder, `cannot read ${folder}: it is a folder`],
  ] as const) {
    assert.equal(await failureOf(["import", file], { env: { DATA_DIR } }), problem);
  }
  assert.deepEqual(await readdir(folder), []);
});

test("never prints a part of a line, which may be a hash", async (t) => {
  const place = await sqlitePlace(t);
  const text = `${HEADER}${HASH},owner\n${HASH}${HASH},${HASH}x\n"a" ${HASH},b\n${HASH}\n`;
  for (const format of ["csv", "json"]) {
    const args = ["import", "-", "--format", format];
    const { code, stdout, stderr } = await runCommand(args, { env: place.env, input: text });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.doesNotMatch(stderr, /CCCC/);
  }
});

test("import stops if the file changes while it is read, and adds nothing", async (t) => {
  const place = await sqlitePlace(t, "owner");
  const file = await fileWith(t, csvOf("guest"));
  let shown = "";
  const write = (text: string): void => {
    // The first part of the file has been read by then, and its end has not.
    if (text.includes("checking")) appendFileSync(file, "other,no hash\n");
    shown += text;
  };
  const stderr = { isTTY: true, columns: 80, write, on: () => {} };
  const code = await runLatchkey(["import", file], {
    ...{ env: place.env, stdin: process.stdin, stdout: { write, on: () => {} }, stderr },
    on: () => {},
    exit: () => {
      throw new Error("the command exits at once");
    },
  } as never as Process);
  assert.match(shown, /nothing was imported: .* is being changed/);
  assert.equal(code, 1);
  assert.deepEqual(Object.keys(await place.accounts()), ["owner"]);
});
