import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import {
  type ImportChoices,
  type ImportLine,
  type ImportServices,
  importUsers,
} from "../../../src/cli/transfer/import-users.ts";
import type { RowWriter } from "../../../src/db/transfer-store.ts";
import { hashText, newFile, openStore } from "../../support/store.ts";

const HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const NOW = Date.UTC(2030, 0, 1);

const lineOf = (line: number, fields: Readonly<Record<string, unknown>>): ImportLine => ({
  line,
  fields: new Map(Object.entries(fields)),
});
const userLine = (line: number, username: string, fields = {}): ImportLine =>
  lineOf(line, { username, passwordhash: HASH, ...fields });
const STRICT: ImportChoices = { badLines: "refuse-all", how: "import", keys: "leave-out" };
const LENIENT: ImportChoices = { badLines: "skip", how: "import", keys: "leave-out" };

async function setting(
  t: TestContext,
  lines: readonly ImportLine[],
  fields: Partial<ImportServices> = {},
) {
  const store = await openStore(t);
  const refused: string[] = [];
  const warned: string[] = [];
  const ports: ImportServices = {
    readLines: () => lines,
    existing: store.transfer,
    openTarget: async () => store.transfer,
    clock: { now: () => NOW },
    refuse: (line, reason) => refused.push(`${line}: ${reason}`),
    warn: (line, reason) => warned.push(`${line}: ${reason}`),
    ...fields,
  };
  return {
    ...{ store, ports, refused, warned },
    names: async () => (await store.users.read("", 9_999)).map(({ username }) => username).sort(),
    entries: async () =>
      (await store.log.read({ afterId: 0, limit: 99 })).map(
        ({ at, author, type, summary }) =>
          `${at.toISOString().slice(0, 10)} ${author} ${type}: ${summary}`,
      ),
  };
}

const NOT_JSON = "it is not a JSON object";
const TAKEN = "an account with this username already exists";
const bad: readonly (readonly [string, ImportLine, string])[] = [
  ["a line that could not be read", { line: 3, fields: NOT_JSON }, NOT_JSON],
  ["a line without a hash", lineOf(3, { username: "c" }), "password_hash is missing"],
  ["a username twice in the file", userLine(3, "a"), "line 1 has the same username"],
  ["an ID twice in the file", userLine(3, "c", { id: "7" }), "line 2 has the same id"],
  ["a username that is in the store", userLine(3, "owner"), TAKEN],
];
for (const [what, line, reason] of bad) {
  const lines = [userLine(1, "a"), userLine(2, "b", { id: "7" }), line];

  for (const [choices, kind, imported] of [
    [STRICT, "refused", []],
    [LENIENT, "imported", ["a", "b"]],
  ] as const) {
    test(`with ${choices.badLines}, ${what} is refused and the others are ${kind}`, async (t) => {
      const { ports, refused, names, entries, store } = await setting(t, lines);
      await store.users.insertFirst({ username: "owner", passwordHash: hashText("x") });
      const outcome = await importUsers(ports, choices);
      assert.deepEqual(outcome, { kind, refused: 1, users: 2, apps: 0, keysLeftOut: 0 });
      assert.deepEqual(refused, [`3: ${reason}`]);
      assert.deepEqual(await names(), [...imported, "owner"]);
      const entry = "2030-01-01 cli user_import: Imported accounts: 2";
      assert.deepEqual(await entries(), kind === "refused" ? [] : [entry]);
    });
  }
}

test("does not compare a line with a refused line", async (t) => {
  const lines = [lineOf(1, { username: "a", passwordhash: "hunter2" }), userLine(2, "a")];
  const { ports, names } = await setting(t, lines);
  assert.equal((await importUsers(ports, LENIENT)).users, 1);
  assert.deepEqual(await names(), ["a"]);
});

test("imports nothing when all lines are refused", async (t) => {
  const { ports, entries } = await setting(t, [lineOf(1, {})]);
  assert.equal((await importUsers(ports, LENIENT)).kind, "refused");
  assert.deepEqual(await entries(), []);
});

test("creates no store for an empty file", async (t) => {
  const { ports } = await setting(t, [], {
    existing: undefined,
    openTarget: () => Promise.reject(new Error("made")),
  });
  assert.equal((await importUsers(ports, STRICT)).kind, "nothing");
});

test("reports the same in a dry run and changes nothing", async (t) => {
  const lines = [userLine(1, "a"), userLine(2, "owner")];
  const { ports, refused, names, entries, store } = await setting(t, lines, {
    openTarget: () => Promise.reject(new Error("opened to write")),
  });
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("x") });
  const outcome = await importUsers(ports, { ...LENIENT, how: "dry-run" });
  assert.equal(outcome.kind, "would-import");
  assert.deepEqual(refused, [`2: ${TAKEN}`]);
  assert.deepEqual([await names(), await entries()], [["owner"], []]);
});

for (const [choices, kind, names] of [
  [STRICT, "refused", ["b"]],
  [LENIENT, "imported", ["a", "b", "c"]],
] as const) {
  test(`refuses a username that is taken in the meantime (${choices.badLines})`, async (t) => {
    const made = await setting(t, [userLine(1, "a"), userLine(2, "b"), userLine(3, "c")]);
    // Another process adds a user between the check and the import.
    const racing: RowWriter = {
      ...made.store.transfer,
      async importRows(rows) {
        await made.store.users.insert({ username: "b", passwordHash: hashText("x") });
        return made.store.transfer.importRows(rows);
      },
    };
    const ports = { ...made.ports, existing: racing, openTarget: async () => racing };
    assert.equal((await importUsers(ports, choices)).kind, kind);
    assert.deepEqual(made.refused, [`2: ${TAKEN}`]);
    assert.deepEqual(await made.names(), names);
  });
}

const MANY = Array.from({ length: 2_500 }, (_, at) => userLine(at + 1, `user ${at + 1}`));

test("writes many users in transactions of 1,000, each with its log entry", async (t) => {
  const passed: string[] = [];
  const { ports, entries, store } = await setting(t, MANY, {
    onProgress: (users, all) => passed.push(`${users} of ${all}`),
  });
  const outcome = await importUsers(ports, STRICT);
  assert.deepEqual(outcome, {
    kind: "imported",
    refused: 0,
    users: 2_500,
    apps: 0,
    keysLeftOut: 0,
  });
  assert.deepEqual(passed, ["1000 of 2500", "2000 of 2500", "2500 of 2500"]);
  const counts = [1_000, 1_000, 500];
  assert.deepEqual(
    await entries(),
    counts.map((count) => `2030-01-01 cli user_import: Imported accounts: ${count}`),
  );
  assert.equal((await store.transfer.readAmounts()).users, 2_500);
});

test("writes fewer users in a transaction if many rows belong to them", async (t) => {
  const answers = (at: number) =>
    Array.from({ length: 4_000 }, (_, n) => ({ id: `${at} ${n}`, expiresAt: NOW }));
  const lines = [1, 2, 3, 4].map((at) =>
    userLine(at, `user ${at}`, { answers: JSON.stringify(answers(at)) }),
  );
  const { ports, entries, refused } = await setting(t, lines);
  await importUsers(ports, STRICT);
  assert.deepEqual(refused, []);
  assert.equal((await entries()).length, 2);
});

for (const [choices, expected, users] of [
  [STRICT, { kind: "stopped", refused: 1, users: 1_000 }, 1_001],
  [LENIENT, { kind: "imported", refused: 1, users: 2_499 }, 2_500],
] as const) {
  test(`with ${choices.badLines}, refuses a name taken after a transaction`, async (t) => {
    const made = await setting(t, MANY);
    let calls = 0;
    const racing: RowWriter = {
      ...made.store.transfer,
      async importRows(rows) {
        calls += 1;
        if (calls === 2)
          await made.store.users.insert({ username: "user 1500", passwordHash: hashText("x") });
        return made.store.transfer.importRows(rows);
      },
    };
    const outcome = await importUsers({ ...made.ports, openTarget: async () => racing }, choices);
    assert.deepEqual(outcome, { ...expected, apps: 0, keysLeftOut: 0 });
    assert.deepEqual(made.refused, [`1500: ${TAKEN}`]);
    assert.equal((await made.store.transfer.readAmounts()).users, users);
  });
}

test("an import that an error ends can be repeated for the users that it left", async (t) => {
  const { ports, store, refused } = await setting(t, MANY);
  let calls = 0;
  const failing: RowWriter = {
    ...store.transfer,
    async importRows(rows) {
      calls += 1;
      if (calls === 2) throw new Error("the disk is full");
      return store.transfer.importRows(rows);
    },
  };
  await assert.rejects(importUsers({ ...ports, openTarget: async () => failing }, STRICT), /disk/);
  assert.equal((await store.transfer.readAmounts()).users, 1_000);
  const outcome = await importUsers(ports, LENIENT);
  assert.deepEqual([outcome.kind, outcome.users, refused.length], ["imported", 1_500, 1_000]);
  assert.equal((await store.transfer.readAmounts()).users, 2_500);
});

test("imports usernames that no other way would take, and warns of each", async (t) => {
  const lines = ["Ann", "ann", " bob", "carol", "OWNER", "dora"].map((name, at) =>
    userLine(at + 1, name),
  );
  const { store, ports, refused, warned, names } = await setting(t, lines);
  const passwordHash = hashText("x");
  await store.users.insert({ username: "owner", passwordHash });
  const carol = await store.users.insert({ username: "carol", passwordHash });
  assert.equal(carol && (await store.users.remove(carol.id)), "removed");
  for (const how of ["dry-run", "import"] as const) {
    warned.length = 0;
    await importUsers(ports, { ...STRICT, how });
    assert.deepEqual(refused, []);
    const lineOf = (warning: string) => warning.replace(/: (line|the username|a user) .*/, " $1");
    assert.deepEqual(warned.map(lineOf), ["2 line", "3 the username", "4 a user", "5 a user"]);
  }
  assert.deepEqual(await names(), [" bob", "Ann", "OWNER", "ann", "carol", "dora", "owner"]);
  for (const username of ["DORA", "Bob"])
    assert.equal(await store.users.insert({ username, passwordHash }), undefined);
});

test("fails once if the database refuses a user by a rule of its own", async (t) => {
  const file = await newFile(t);
  const { transfer } = await openStore(t, file);
  const database = new DatabaseSync(file);
  database.exec("CREATE UNIQUE INDEX own ON latchkey_users (lower(username))");
  database.close();
  const { ports } = await setting(t, [userLine(1, "Ann"), userLine(2, "ann")]);
  const racing = { ...ports, existing: transfer, openTarget: async () => transfer };
  const importing = importUsers(racing, STRICT);
  await assert.rejects(importing, { code: "rows_refused" });
});

const appLine = (line: number, id: string): ImportLine =>
  lineOf(line, { app: { id, name: id, created_at: 1 } });

for (const [choices, kind, apps] of [
  [STRICT, "stopped", ["b"]],
  [LENIENT, "imported", ["a", "b"]],
] as const) {
  test(`with ${choices.badLines}, refuses an app whose ID was taken after the check`, async (t) => {
    const lines = [userLine(1, "ann"), appLine(2, "a"), appLine(3, "b")];
    const { ports, store, refused } = await setting(t, lines);
    const openTarget = async () => {
      await store.apps.insert({ id: "b", name: "first", createdAt: new Date(0) });
      return store.transfer;
    };
    const outcome = await importUsers({ ...ports, openTarget }, choices);
    const written = apps.length - 1;
    assert.deepEqual(outcome, { kind, refused: 1, users: 1, apps: written, keysLeftOut: 0 });
    assert.deepEqual(refused, ["3: an app with this id already exists"]);
    assert.deepEqual(
      (await store.apps.list()).map(({ id }) => id),
      apps,
    );
    assert.equal((await store.apps.find("b"))?.name, "first");
  });
}

test("imports all apps or none if the database fails", async (t) => {
  const { ports, store } = await setting(t, [appLine(1, "a"), appLine(2, "b")]);
  const failing: RowWriter = {
    ...store.transfer,
    importRows: async (pages) =>
      store.transfer.importRows(
        (async function* () {
          for await (const page of pages) {
            if (page.table === "log") throw new Error("no disk space");
            yield page;
          }
        })(),
      ),
  };
  const importing = importUsers({ ...ports, openTarget: async () => failing }, STRICT);
  await assert.rejects(importing, /no disk space/);
  assert.deepEqual(await store.apps.list(), []);
});

test("a verified address stays with the first account that has it", async (t) => {
  const email = "ada@example.org";
  const verified = { email, emailverified: "true" };
  const lines = [
    userLine(1, "a", { ...verified, id: "1" }),
    userLine(2, "b", { ...verified, email: email.toUpperCase(), id: "2", name: "B" }),
    userLine(3, "c", { email: "other@example.org", emailverified: true, id: "3" }),
    userLine(4, "d", { email: "taken@example.org", emailverified: true, id: "4", name: "D" }),
    userLine(5, "e", { email: "x", name: "a\nb", id: "5" }),
  ];
  const { ports, store, warned, refused } = await setting(t, lines);
  const owner = await store.users.insert({ username: "owner", passwordHash: hashText("x") });
  assert.ok(owner);
  const taken = "taken@example.org";
  const profile = { id: owner.id, userId: owner.id, email: taken, verifiedEmail: taken };
  await store.profiles.set(profile);
  const outcome = await importUsers(ports, STRICT);
  assert.deepEqual([outcome.kind, outcome.users, refused], ["imported", 5, []]);
  assert.deepEqual(
    warned.map((warning) => warning.split(":")[0]),
    ["5", "5", "2", "4"],
  );
  assert.doesNotMatch(warned.join(), /(ada|taken)@/);
  const profiles = (await store.users.read("", 9)).map(({ username, profile: kept }) => [
    username,
    kept,
  ]);
  assert.deepEqual(Object.fromEntries(profiles), {
    a: { email, verifiedEmail: email },
    b: { name: "B", email: email.toUpperCase() },
    c: { email: "other@example.org", verifiedEmail: "other@example.org" },
    d: { name: "D", email: taken },
    e: undefined,
    owner: { email: taken, verifiedEmail: taken },
  });
});
