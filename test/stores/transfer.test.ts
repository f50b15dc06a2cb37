import assert from "node:assert/strict";
import type { TransferUser } from "../../src/core/store.ts";
import { type SessionRow, sessionRowsOf } from "../../src/core/transfer/session-rows.ts";
import { hashText, logEntry } from "../support/store.ts";
import { type Either, rows, ruleForBoth as rule, user } from "./either.ts";

/** Of each kind of text and time, sorted by ID. */
const SESSIONS: readonly SessionRow[] = [
  ['a\u0001 "b" \\u0041 /', 0, 1, 253_402_300_799_999, "", ""],
  ["b", 1_893_553_445_678, 1_893_553_445_679, 1_896_145_445_678, "2001:db8::1", "🔑 caf\u00e9\n"],
];

const withSessions = (id: string, sessions = SESSIONS): TransferUser => ({
  ...user(id),
  sessions: JSON.stringify(sessions),
});

/** The users that a store returns, with their sessions read. */
async function usersOf(store: Either) {
  const users = await store.readUsers(EVERYONE);
  return users.map(({ id, sessions }) => [id, sessionRowsOf(sessions)]);
}

const EVERYONE = { afterId: "", limit: 9 };

/** Imports users and entries into an empty store, as a copy does. */
const fill = (store: Either, users: readonly TransferUser[], summaries: readonly string[] = []) =>
  store.importRecords([rows(users), rows([], summaries)], "empty");

rule("has no contents when empty", async (store) => {
  assert.deepEqual(await store.readContents(), { users: 0, entries: 0 });
  assert.deepEqual(await store.readUsers(EVERYONE), []);
});

rule("fills an empty store", async (store, other) => {
  const users = [{ ...user("B"), sessionsFrom: 1_700_000_000 }, user("a")];
  assert.equal(await fill(store, users, ["one", "🔑 caf\u00e9 \n"]), "imported");
  assert.deepEqual(await other.readContents(), { users: 2, entries: 2 });
  assert.deepEqual(await other.readUsers(EVERYONE), users);
  const entries = await other.readLogEntries({ afterId: 0, limit: 10 });
  assert.deepEqual(entries, [
    { ...logEntry("one"), id: 1 },
    { ...logEntry("🔑 caf\u00e9 \n"), id: 2 },
  ]);
});

rule("inserts sessions and returns them with their users", async (store, other) => {
  await fill(store, [withSessions("a"), user("b")]);
  assert.deepEqual(await usersOf(other), [
    ["a", SESSIONS],
    ["b", []],
  ]);
  assert.deepEqual(await other.findSession("b"), {
    ...{ id: "b", userId: "a", address: "2001:db8::1", device: "🔑 caf\u00e9\n" },
    createdAt: new Date("2030-01-02T03:04:05.678Z"),
    usedAt: new Date("2030-01-02T03:04:05.679Z"),
    expiresAt: new Date("2030-02-01T03:04:05.678Z"),
  });
});

rule("imports users with their sessions, except those whose ID is known", async (store) => {
  assert.equal(await store.importRecords([rows([withSessions("a")])]), "imported");
  assert.equal(await store.importRecords([rows([withSessions("b")])]), "imported");
  assert.deepEqual(await usersOf(store), [
    ["a", SESSIONS],
    ["b", []],
  ]);
});

rule("reads pages of users sorted by ID bytes", async (store) => {
  const ids = ["B", "a", "é", "Z9", "z", "1", "-", "🔑", "ﬀ"];
  await fill(
    store,
    ids.map((id) => user(id)),
  );
  const read: string[] = [];
  for (let afterId = "", pages = 0; pages < 5; pages += 1) {
    const page = await store.readUsers({ afterId, limit: 2 });
    assert.ok(page.length <= 2);
    read.push(...page.map(({ id }) => id));
    afterId = page.at(-1)?.id ?? afterId;
  }
  assert.deepEqual(read, ["-", "1", "B", "Z9", "a", "z", "é", "ﬀ", "🔑"]);
});

const owns: Readonly<Record<string, (store: Either) => Promise<unknown>>> = {
  "an account": (store) =>
    store.insertFirstUser({ username: "owner", passwordHash: hashText("x") }),
  "an entry": (store) => store.insertLogEntries([logEntry("own")]),
};
for (const [what, put] of Object.entries(owns)) {
  rule(`a store with ${what} of its own is not filled`, async (store, other) => {
    await put(other);
    const before = await store.readContents();
    assert.equal(await fill(store, [user("a")], ["copied"]), "taken");
    assert.deepEqual(await store.readContents(), before);
  });
}

rule("is filled by one of two copies", async (store, other) => {
  const outcomes = await Promise.all([fill(store, [user("a")]), fill(other, [user("b")])]);
  assert.deepEqual(outcomes.toSorted(), ["imported", "taken"]);
  assert.equal((await store.readContents()).users, 1);
});

rule("takes either the first account or a copy", async (store, other) => {
  const [first, filled] = await Promise.all([
    other.insertFirstUser({ username: "owner", passwordHash: hashText("x") }),
    fill(store, [user("a"), user("b")]),
  ]);
  const { users } = await store.readContents();
  assert.deepEqual(
    [first === undefined, filled, users],
    first === undefined ? [true, "imported", 2] : [false, "taken", 1],
  );
});
