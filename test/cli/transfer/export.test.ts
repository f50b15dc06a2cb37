import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../../src/db/records.ts";
import { tables, toRowValues } from "../../../src/db/tables.ts";
import { byTable, NO_APPS, rowsIn, rowsOfEveryTable } from "../../db/either.ts";
import { failureOf, outputOf, runCommand } from "../../support/command.ts";
import { execute } from "../../support/database.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { hashText } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { places, postgresPlace } from "../user/either.ts";
import { type OpenPlace, type Place, sqlitePlace } from "../user/place.ts";
import { HASH } from "./import-file.ts";

const NAMES = [
  ...['J. "J" O\'Neil, jr.', "two\r\nlines\n", "\u001b[2J\u009b31m", "🔑\u202e", " ", "{"],
  ...["=1+1", "'=1+1"],
];

type NamedUser = Readonly<{ id: string; username: string; sessions_from?: number }>;

const USERS: readonly NamedUser[] = NAMES.map((username, n) => ({
  ...{ id: `id, ${n}`, username },
  ...(n === 1 ? { sessions_from: 1_700_000_000 } : {}),
}));

/** An import warns of the unusual names, and takes them. */
async function importInto(
  { env }: Place,
  input: string,
  ...options: readonly string[]
): Promise<void> {
  const { code, stderr } = await runCommand(["import", "-", ...options], { env, input });
  assert.equal(code, 0, stderr);
}

/** Returns what an export prints. As CSV, it says that it leaves the apps out. */
async function exportFrom(
  { env, store }: Place,
  format: string,
  ...options: readonly string[]
): Promise<string> {
  const args = ["export", "--format", format, ...options];
  const { code, stdout, stderr } = await runCommand(args, { env });
  const leavesOut = format === "csv" && (await store.apps.list()).length > 0;
  const expected = leavesOut ? "latchkey: left out the apps, which only JSON contains\n" : "";
  assert.deepEqual([code, stderr], [0, expected]);
  return stdout;
}

/** Imports what the export prints. */
async function move(
  from: Place,
  to: Place,
  format: string,
  ...options: readonly string[]
): Promise<void> {
  await importInto(to, await exportFrom(from, format, "--with-hashes"), ...options);
}

async function placeWith(
  open: OpenPlace,
  t: TestContext,
  users: readonly NamedUser[] = USERS,
): Promise<Place> {
  const place = await open(t);
  const rows = users.map(({ id, username, sessions_from: sessionsFrom }) => {
    const user = { id: id as UserId, username, passwordHash: hashText(HASH) };
    return toRowValues(tables.users, {
      ...user,
      ...(sessionsFrom !== undefined && { sessionsFrom }),
    });
  });
  await place.store.transfer.importRows([{ table: "users", rows }]);
  return place;
}

for (const [kind, open] of Object.entries(places)) {
  const other = kind === "SQLite" ? postgresPlace : sqlitePlace;

  test(`${kind}: export prints one JSON object per line, without hashes`, async (t) => {
    const place = await placeWith(open, t);
    const printed = await outputOf(["export"], { env: place.env });
    assert.deepEqual(jsonLines(printed), USERS);
    assert.doesNotMatch(printed, /\$2a\$|[^\n\P{Cc}]/u);
  });

  for (const format of ["json", "csv"]) {
    test(`${kind}: export --with-hashes as ${format} moves sign-ins, not sessions`, async (t) => {
      const [place, target, keyless] = [await open(t), await other(t), await other(t)];
      const all = rowsOfEveryTable(hashText(HASH));
      await place.store.transfer.importRows([
        ...all,
        { table: "sessions", rows: [["expired", "1", 0, 0, 1, "", "", null, null]] },
        { table: "answers", rows: [["expired", "1", 1]] },
      ]);
      const from = Math.floor(Date.now() / 1_000);
      await move(place, target, format, "--keys");
      const input = await exportFrom(place, format, "--with-hashes");
      const imported = await runCommand(["import", "-"], { env: keyless.env, input });
      assert.match(imported.stderr, /^latchkey: left out 2 keys \(--keys imports them as well\)$/m);
      assert.equal(imported.code, 0);
      const {
        log: _,
        used_names: ofUsers,
        users = [],
        codes = [],
        ...moved
      } = await rowsIn(target.store);
      const { log: __, used_names: ___, users: given, codes: begun, ...others } = byTable(all);
      assert.equal(ofUsers?.length, 2, "names of removed accounts stay behind");
      const none = { sessions: [], handoffs: [], devices: [], links: [], grants: [], app_uses: [] };
      const { apps, app_secrets, app_icons } = others;
      const ofApps = format === "csv" ? {} : { apps, app_secrets, app_icons };
      assert.deepEqual(moved, { ...others, ...none, ...NO_APPS, ...ofApps });
      const sessionsFrom = Object.keys(tables.users.columns).indexOf("sessionsFrom");
      for (const row of users) assert.ok(Number(row[sessionsFrom]) > from);
      assert.deepEqual(
        users.map((row, at) => row.with(sessionsFrom, given?.[at]?.[sessionsFrom] ?? null)),
        given,
      );
      const lastStep = Object.keys(tables.codes.columns).indexOf("lastStep");
      assert.ok(Number(codes[0]?.[lastStep]) > from / 30);
      assert.deepEqual(
        codes.map((row) => row.with(lastStep, 7)),
        begun?.slice(0, 1),
        "codes that are on",
      );
      assert.deepEqual((await rowsIn(keyless.store)).keys, []);
      const without = await exportFrom(place, format);
      assert.doesNotMatch(without, /sealed|ended|Phone|a mark|secrets|consents|grants/);
    });
  }
}

test("import reads all sessions that an export writes, and revives none", async (t) => {
  const [place, target] = [await sqlitePlace(t, "owner"), await sqlitePlace(t)];
  execute(
    join(place.env.DATA_DIR ?? "", "latchkey.db"),
    `UPDATE latchkey_users SET password_hash = '${HASH}';
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 12000)
     INSERT INTO latchkey_sessions SELECT hex(randomblob(16)), id, 0, n, 4000000000000,
       '2001:db8:1111:2222:3333:4444:5555:6666', 'Firefox on Windows', NULL, NULL FROM latchkey_users, numbers`,
  );
  await move(place, target, "csv");
  assert.deepEqual(Object.keys(await target.accounts()), ["owner"]);
  assert.deepEqual(await target.store.transfer.readRows("sessions", "", 20_000), []);
});

test("export --to writes a private file, and overwrites only with --force", async (t) => {
  const [place, folder] = [await placeWith(sqlitePlace, t), await tempDir(t)];
  const file = join(folder, "users.json");
  const args = ["export", "--to", file];
  await writeFile(file, "precious", { mode: 0o644 });
  const refusal = await failureOf(args, { env: place.env });
  assert.equal(refusal, `${file} already exists: --force overwrites it`);
  assert.equal(await readFile(file, "utf8"), "precious");
  const printed = await outputOf([...args, "--force"], { env: place.env });
  assert.equal(printed, `Exported 8 users to ${file}\n`);
  assert.equal(await readFile(file, "utf8"), await outputOf(["export"], { env: place.env }));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder), ["users.json"]);
});

test("export reports a file or a database that it cannot use in one line", async (t) => {
  const [place, folder] = [await placeWith(sqlitePlace, t), await tempDir(t)];
  const file = join(folder, "none", "users.json");
  const pipe = join(await tempDir(t), "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const [to, env, problem] of [
    [file, place.env, `cannot write to ${folder}/none: no such file or folder`],
    [folder, place.env, `cannot write ${folder}: it is a folder`],
    [pipe, place.env, `cannot write ${pipe}: it is not a regular file`],
    [file, { DATA_DIR: folder }, `there is no database at ${folder}/latchkey.db`],
  ] as const) {
    assert.equal(await failureOf(["export", "--force", "--to", to], { env }), problem);
    assert.deepEqual(await readdir(folder), []);
  }
});

test("export escapes control characters of names on a terminal as CSV", async (t) => {
  const place = await placeWith(sqlitePlace, t);
  const args = ["export", "--format", "csv"];
  const stdout = await outputOf(args, { env: place.env, columns: 80 });
  assert.doesNotMatch(stdout.replaceAll("\n", ""), /\p{Cc}/u);
  assert.equal(stdout.trimEnd().split("\n").length, USERS.length + 1);
});
