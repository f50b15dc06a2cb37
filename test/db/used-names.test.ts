import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { copyStore } from "../../src/db/copy-store.ts";
import { outputOf } from "../support/command.ts";
import { inDatabase } from "../support/database.ts";
import { jsonLines } from "../support/json-lines.ts";
import { hashText } from "../support/store.ts";
import { postgres, sqlite } from "./database.ts";
import { type Either, ruleForBoth } from "./either.ts";
import { keptSchemas } from "./kept-schemas.ts";

const HASH = hashText("x");

/** Two accounts whose names differ in case, and are not noted. */
const insertColliding = (table: string): string =>
  `INSERT INTO ${table} (id, username, password_hash) VALUES ('1', 'Ann', 'x'), ('2', 'ANN', 'x')`;

for (const [name, kind, create, firstTable, table] of [
  ["SQLite", "sqlite", sqlite, "users", "latchkey_users"],
  ["PostgreSQL", "postgres", postgres, "public.latchkey_users", "public.latchkey_users"],
] as const) {
  test(`${name}: an upgrade notes the names of all accounts, and accounts that collide go on`, async (t) => {
    const database = await create(t);
    await database.load(keptSchemas(kind)[0]?.sql ?? "");
    await database.load(insertColliding(firstTable));
    const store: Either = await database.open();
    t.after(() => store.close());
    const { users } = store;
    for (const username of ["OWNER", "Guest", "ann"])
      assert.equal(await users.insert({ username, passwordHash: HASH }), undefined, username);
    const [one, other] = [await users.findByName("Ann"), await users.findByName("ANN")];
    assert.ok(one && other);
    assert.equal(await users.rename(one.id, "aNN"), "renamed", "the same name in another case");
    assert.equal(await users.rename(other.id, "anN"), "renamed");
    assert.equal(await users.rename(other.id, "aNN"), "taken");
    assert.equal(await users.rename(other.id, "bea"), "renamed");
    assert.equal(await users.remove(one.id), "removed");
    assert.equal(await users.insert({ username: "Ann", passwordHash: HASH }), undefined);
  });

  test(`${name}: notes the name of an account that an older instance has added, when it goes`, async (t) => {
    const database = await create(t);
    const store: Either = await database.open();
    t.after(() => store.close());
    await store.users.insert({ username: "owner", passwordHash: HASH });
    await database.load(insertColliding(table));
    const [one, other] = await Promise.all(["Ann", "ANN"].map(store.users.findByName));
    assert.ok(one && other);
    assert.equal(await store.users.rename(one.id, "bea"), "renamed");
    assert.equal(await store.users.remove(other.id), "removed");
    assert.equal(await store.users.insert({ username: "ann", passwordHash: HASH }), undefined);
    assert.equal(await store.users.rename(one.id, "ann"), "renamed", "its own again");
  });
}

ruleForBoth("frees the name of a guest 30 days after its end", async ({ users, links }) => {
  await users.insert({ username: "owner", passwordHash: HASH });
  const endsAt = new Date(1_000);
  const guest = { username: "plumber", passwordHash: hashText("$guest$"), endsAt };
  assert.ok(await users.insert(guest));
  const later = (days: number) => new Date(1_000 + days * 86_400_000);
  for (const at of [endsAt, later(29)]) {
    await links.removeEnded(at);
    assert.equal(await users.insert({ ...guest, username: "Plumber" }), undefined);
  }
  assert.equal(await users.findByName("plumber"), undefined);
  await links.removeEnded(later(30));
  assert.ok(await users.insert({ ...guest, username: "Plumber" }));
});

ruleForBoth("stores no text with a NUL", async ({ users }) => {
  const added = await users.insert({ username: "owner", passwordHash: HASH });
  assert.ok(added);
  const refused = { code: "invalid_option", message: "username contains a NUL character" };
  await assert.rejects(users.insert({ username: "a\0b", passwordHash: HASH }), refused);
  await assert.rejects(users.rename(added.id, "a\0b"), refused);
  const names = (await users.read("", 9)).map(({ username }) => username);
  assert.deepEqual(names, ["owner"]);
});

test("SQLite: an upgrade replaces NULs, so that a copy to PostgreSQL and an export succeed", async (t) => {
  const [database, target] = [await sqlite(t), await postgres()];
  await database.load(keptSchemas("sqlite")[0]?.sql ?? "");
  inDatabase(join(database.env.DATA_DIR ?? "", "latchkey.db"), (open) => {
    const insert = open.prepare(
      "INSERT INTO users (id, username, password_hash) VALUES (?, ?, 'x')",
    );
    for (const [id, username] of [
      ["1", "a\0b"],
      ["2", "a\ufffdb"],
      ["3", "\0"],
    ] as const)
      insert.run(id, username);
    open
      .prepare(
        "INSERT INTO log_entries (at, type, summary, author, subject) VALUES (0, 'a', ?, 's', ?)",
      )
      .run("a\0b\0", "\0");
    open
      .prepare(
        "INSERT INTO keys (id, user_id, name, hash, created_at) VALUES ('k', '1', ?, 'h', 0)",
      )
      .run("a\0");
  });
  const [from, to]: Either[] = [await database.open(), await target.open()];
  assert.ok(from && to);
  t.after(() => Promise.all([from.close(), to.close()]));
  assert.equal((await copyStore(from.transfer, to.transfer)).kind, "copied");
  const users = await to.users.read("", 9);
  const names = users.filter(({ id }) => id.length === 1).map(({ username }) => username);
  const [first = "", ...others] = names;
  assert.match(first, /^a\ufffdb \S{43}$/u, "another account has the name without it");
  assert.deepEqual(others, ["a\ufffdb", "\ufffd"]);
  const [entry] = await to.log.newest({ limit: 1 });
  assert.deepEqual([entry?.summary, entry?.subject], ["a\ufffdb\ufffd", "\ufffd"]);
  assert.deepEqual(
    (await to.keys.listOf("1" as never)).map(({ name }) => name),
    ["a\ufffd"],
  );
  const lines = jsonLines(await outputOf(["export"], { env: database.env }));
  assert.equal(lines.length, users.length);
});
