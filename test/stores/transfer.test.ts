import assert from "node:assert/strict";
import type { LogEntry } from "../../src/core/log-reader.ts";
import type { TransferUser } from "../../src/core/store.ts";
import { type SessionRow, sessionRowsOf } from "../../src/core/transfer/session-rows.ts";
import type { Contents, ImportBatch } from "../../src/core/transfer/transfer-store.ts";
import { hashText, logEntry } from "../support/store.ts";
import { type Either, ruleForBoth as rule, user } from "./either.ts";

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
  const users = await store.readUsers({ afterId: "", limit: 9 });
  return users.map(({ id, sessions }) => [id, sessionRowsOf(sessions)]);
}

const entry = (id: number, summary = `entry ${id}`): LogEntry => ({ ...logEntry(summary), id });

const EMPTY: Contents = { mark: undefined, users: 0, entries: 0, lastEntryId: 0 };

const batch = (fields: Partial<ImportBatch>): ImportBatch => ({
  ...{ users: [], entries: [], from: EMPTY, to: { mark: "one", lastEntryId: 0 }, how: "add" },
  ...fields,
});

rule("has no contents and no mark when empty", async (store) => {
  assert.deepEqual(await store.readContents(), EMPTY);
  assert.deepEqual(await store.readUsers({ afterId: "", limit: 10 }), []);
});

rule("inserts a batch with its IDs, its mark and the last entry ID", async (store, other) => {
  const users = [{ ...user("B"), sessionsFrom: 1_700_000_000 }, user("a")];
  const entries = [entry(3), entry(7, "🔑 caf\u00e9 \n")];
  const to = { mark: "first", lastEntryId: 9 };
  assert.equal(await store.importBatch(batch({ users, entries, to })), "imported");
  assert.deepEqual(await other.readContents(), { ...to, users: 2, entries: 2 });
  assert.deepEqual(await other.readUsers({ afterId: "", limit: 9 }), users);
  assert.deepEqual(await other.readLogEntries({ afterId: 0, limit: 10 }), entries);
  await other.insertLogEntries([logEntry("later")]);
  assert.equal((await other.readLogEntries({ afterId: 7, limit: 10 }))[0]?.id, 10);
});

rule("inserts the sessions of a batch and returns them with their users", async (store, other) => {
  await store.importBatch(batch({ users: [withSessions("a"), user("b")] }));
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
  const rows = (id: string) => [{ users: [withSessions(id)], entries: [] }];
  assert.equal(await store.importRecords(() => rows("a")), "imported");
  assert.equal(await store.importRecords(() => rows("b")), "imported");
  assert.deepEqual(await usersOf(store), [
    ["a", SESSIONS],
    ["b", []],
  ]);
});

rule("reads pages of users sorted by ID bytes", async (store) => {
  const ids = ["B", "a", "é", "Z9", "z", "1", "-", "🔑", "ﬀ"];
  await store.importBatch(batch({ users: ids.map((id) => user(id)) }));
  const read: string[] = [];
  for (let afterId = "", pages = 0; pages < 5; pages += 1) {
    const page = await store.readUsers({ afterId, limit: 2 });
    assert.ok(page.length <= 2);
    read.push(...page.map(({ id }) => id));
    afterId = page.at(-1)?.id ?? afterId;
  }
  assert.deepEqual(read, ["-", "1", "B", "Z9", "a", "z", "é", "ﬀ", "🔑"]);
});

rule("inserts no first user after a batch", async (store, other) => {
  await store.importBatch(batch({ users: [user("a")] }));
  const late = { username: "late", passwordHash: hashText("x") };
  assert.equal(await other.insertFirstUser(late), undefined);
  assert.equal((await store.readContents()).users, 1);
});

rule("refuses a batch with another starting point", async (store) => {
  const first = batch({ users: [user("a")], to: { mark: "first", lastEntryId: 5 } });
  await store.importBatch(first);
  const before = await store.readContents();
  const starts = [
    EMPTY,
    { mark: "other", lastEntryId: 5 },
    { mark: "first", lastEntryId: 4 },
    { mark: undefined, lastEntryId: 5 },
  ];
  for (const from of starts) {
    const next = batch({ users: [user("b")], from, to: { mark: "second", lastEntryId: 6 } });
    assert.equal(await store.importBatch(next), "overtaken");
  }
  assert.deepEqual(await store.readContents(), before);
});

const owns: Readonly<Record<string, (store: Either) => Promise<unknown>>> = {
  "an account": (store) =>
    store.insertFirstUser({ username: "owner", passwordHash: hashText("x") }),
  "an entry": (store) => store.insertLogEntries([logEntry("own")]),
};
for (const [what, put] of Object.entries(owns)) {
  rule(`a store with ${what} of its own takes no first batch`, async (store) => {
    await put(store);
    const before = await store.readContents();
    const first = batch({ users: [user("a")], from: { ...before } });
    assert.equal(await store.importBatch(first), "overtaken");
    assert.deepEqual(await store.readContents(), before);
  });
}

rule("refuses a batch after the gate has written an entry", async (store) => {
  const to = { mark: "first", lastEntryId: 5 };
  await store.importBatch(batch({ entries: [entry(5)], to }));
  await store.insertLogEntries([logEntry("own")]);
  const next = batch({ entries: [entry(6)], from: to, to: { mark: "second", lastEntryId: 6 } });
  assert.equal(await store.importBatch(next), "overtaken");
  assert.deepEqual(
    (await store.readLogEntries({ afterId: 0, limit: 9 })).map(({ summary }) => summary),
    ["entry 5", "own"],
  );
});

rule("inserts nothing of a failing batch, not even its mark", async (store) => {
  const unusable = batch({ users: [user("a"), user("b", "name of a")], entries: [entry(1)] });
  await assert.rejects(store.importBatch(unusable));
  assert.deepEqual(await store.readContents(), EMPTY);
  assert.equal(await store.importBatch(batch({ users: [user("a")] })), "imported");
});

rule("removes old rows in the same step when it starts over", async (store) => {
  const to = { mark: "first", lastEntryId: 5 };
  await store.importBatch(batch({ users: [withSessions("a")], entries: [entry(5)], to }));
  const again = { users: [user("b")], entries: [entry(2)], from: to, how: "start-over" } as const;
  await store.importBatch(batch({ ...again, to: { mark: "again", lastEntryId: 5 } }));
  assert.deepEqual(await store.readUsers({ afterId: "", limit: 9 }), [user("b")]);
  assert.deepEqual(await store.readLogEntries({ afterId: 0, limit: 9 }), [entry(2)]);
  assert.deepEqual(await store.readSessions({ afterId: "", limit: 9 }), []);
  assert.equal((await store.readContents()).mark, "again");
});

rule("inserts one of eight concurrent first batches", async (store, other) => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      [store, other][i % 2]?.importBatch(
        batch({ users: [user(`racer ${i}`)], to: { mark: `mark ${i}`, lastEntryId: 0 } }),
      ),
    ),
  );
  assert.deepEqual(
    answers.filter((answer) => answer !== "overtaken"),
    ["imported"],
  );
  const winner = answers.indexOf("imported");
  assert.deepEqual(await store.readUsers({ afterId: "", limit: 9 }), [user(`racer ${winner}`)]);
  assert.equal((await store.readContents()).mark, `mark ${winner}`);
});

rule("inserts either the first account or the first batch", async (store, other) => {
  const [first, imported] = await Promise.all([
    other.insertFirstUser({ username: "owner", passwordHash: hashText("x") }),
    store.importBatch(batch({ users: [user("a"), user("b")] })),
  ]);
  const { users } = await store.readContents();
  assert.deepEqual(
    [first === undefined, imported, users],
    first === undefined ? [true, "imported", 2] : [false, "overtaken", 1],
  );
});
