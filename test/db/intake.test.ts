import assert from "node:assert/strict";
import type { UserId } from "../../src/db/records.ts";
import type { Rows } from "../../src/db/transfer-store.ts";
import { hashText, logEntry } from "../support/store.ts";
import { type Either, rows, ruleForBoth as rule, user } from "./either.ts";

const namesIn = async (store: Either): Promise<readonly string[]> =>
  (await store.users.read("", 9)).map(({ username }) => username);

const entriesIn = async (store: Either): Promise<readonly string[]> =>
  (await store.log.read({ afterId: 0, limit: 9 })).map(({ id, summary }) => `${id} ${summary}`);

rule("imports users and entries beside existing ones", async (store, other) => {
  const owner = await other.users.insertFirst({ username: "owner", passwordHash: hashText("x") });
  await other.log.insert([logEntry("first")]);
  const guest = { ...user("1", "O'Neil 🔑"), sessionsFrom: 1_700_000_000 };
  const taken = await store.transfer.importRows([
    ...rows([guest]),
    ...rows([user("2")], ["a", "b"]),
    ...rows([], ["c"]),
  ]);
  assert.equal(taken, "imported");
  assert.deepEqual(await other.users.find("1" as UserId), guest);
  assert.deepEqual(await other.users.findByName("name of 2"), user("2"));
  assert.equal((await other.users.findByName("owner"))?.id, owner?.id);
  assert.deepEqual(await entriesIn(other), ["1 first", "2 a", "3 b", "4 c"]);
});

rule("assigns later IDs to entries written afterwards", async (store, other) => {
  await store.transfer.importRows(rows([], ["imported"]));
  await other.log.insert([logEntry("afterwards")]);
  assert.deepEqual(await entriesIn(store), ["1 imported", "2 afterwards"]);
});

for (const [what, last] of [
  ["a username", user("9", "name of 0")],
  ["an ID", user("0", "another name")],
] as const) {
  rule(`imports nothing if ${what} is taken`, async (store, other) => {
    await store.transfer.importRows(rows([user("0")]));
    const taken = await store.transfer.importRows([
      ...rows([user("1")], ["entry"]),
      ...rows([user("2"), last]),
    ]);
    assert.equal(taken, "taken");
    assert.deepEqual(await namesIn(other), ["name of 0"]);
    assert.deepEqual(await entriesIn(other), []);
  });
}

rule("imports nothing if reading the rows fails", async (store, other) => {
  function* failing(): Generator<Rows> {
    yield* rows([user("1")], ["entry"]);
    throw new Error("no more");
  }
  await assert.rejects(store.transfer.importRows(failing()));
  assert.deepEqual([await namesIn(other), await entriesIn(other)], [[], []]);
  assert.equal(await store.transfer.importRows(rows([user("1")])), "imported");
});

rule("finds users whose username or ID is taken", async (store) => {
  await store.transfer.importRows(rows([user("0"), user("1"), user("2")]));
  const asked = [user("7"), user("8", "name of 1"), user("2", "new"), user("0")];
  assert.deepEqual(await store.transfer.findTakenUsers(asked), [
    { id: "8", taken: "username" },
    { id: "2", taken: "id" },
    { id: "0", taken: "username" },
  ]);
  assert.deepEqual(await store.transfer.findTakenApps([]), []);
  assert.deepEqual(await store.transfer.findTakenUsers([]), []);
});

rule("treats usernames that differ in case or bytes as different", async (store) => {
  await store.transfer.importRows(rows([user("1", "caf\u00e9"), user("2", "owner")]));
  const others = [user("3", "cafe\u0301"), user("4", "Owner"), user("5", "owner ")];
  assert.deepEqual(await store.transfer.findTakenUsers(others), []);
  assert.equal(await store.transfer.importRows(rows(others)), "imported");
});

rule("imports one of two concurrent imports of the same user", async (store, other) => {
  const bring = (one: Either, entry: string) =>
    one.transfer.importRows(rows([user("1"), user("2")], [entry]));
  const outcomes = await Promise.all([bring(store, "one"), bring(other, "other")]);
  assert.deepEqual(outcomes.toSorted(), ["imported", "taken"]);
  assert.equal((await namesIn(store)).length, 2);
  assert.equal((await entriesIn(store)).length, 1);
});

rule("inserts no first user after an import", async (store, other) => {
  await store.transfer.importRows(rows([user("1")]));
  assert.equal(await other.users.any(), true);
  const first = await other.users.insertFirst({ username: "thief", passwordHash: hashText("x") });
  assert.equal(first, undefined);
});
