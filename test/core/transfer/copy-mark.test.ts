import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../../src/core/store.ts";
import { advance, type Mark, parseMark, startFrom } from "../../../src/core/transfer/copy-mark.ts";
import type { Contents } from "../../../src/core/transfer/transfer-store.ts";
import { hashText, logEntry } from "../../support/store.ts";

const SOURCE = "sqlite:/source";
const EMPTY: Contents = { users: 0, entries: 0, lastEntryId: 0, mark: undefined };

const MARK: Mark = {
  ...{ source: SOURCE, users: 2, entries: 3, userId: "b", entryId: 7, lastEntryId: 9 },
  state: "copying",
};

/** A target that holds what the mark speaks of. */
const holding = (mark: object, change: Partial<Contents> = {}): Contents => ({
  ...{ users: 2, entries: 3, lastEntryId: 9, mark: JSON.stringify(mark) },
  ...change,
});

test("starts from the beginning in an empty target", () => {
  const mark = { ...MARK, users: 0, entries: 0, userId: "", entryId: 0, lastEntryId: 0 };
  assert.deepEqual(startFrom(EMPTY, SOURCE), { kind: "start", mark, from: EMPTY, how: "add" });
});

test("continues an interrupted copy at its mark", () => {
  const from = holding(MARK);
  assert.deepEqual(startFrom(from, SOURCE), { kind: "start", mark: MARK, from, how: "add" });
});

test("starts over after a copy that differed", () => {
  const from = holding({ ...MARK, state: "different" });
  const mark = { ...MARK, users: 0, entries: 0, userId: "", entryId: 0 };
  assert.deepEqual(startFrom(from, SOURCE), { kind: "start", mark, from, how: "start-over" });
});

test("reports a target with content or a finished copy as occupied", () => {
  const occupied = { kind: "target-occupied", users: 2, entries: 3 };
  const { mark: _, ...withoutMark } = holding(MARK);
  assert.deepEqual(startFrom({ ...withoutMark, mark: undefined }, SOURCE), occupied);
  assert.deepEqual(startFrom(holding({ ...MARK, state: "finished" }), SOURCE), occupied);
  assert.deepEqual(startFrom({ ...withoutMark, mark: "by hand" }, SOURCE), occupied);
  for (const one of [{ users: 1 }, { entries: 1 }]) {
    assert.equal(startFrom({ ...EMPTY, ...one }, SOURCE).kind, "target-occupied");
  }
});

test("does not continue the copy of another source", () => {
  const refusal = { kind: "target-of-another", source: "postgres" };
  assert.deepEqual(startFrom(holding({ ...MARK, source: "postgres" }), SOURCE), refusal);
});

for (const change of [{ users: 1 }, { users: 3 }, { entries: 4 }, { lastEntryId: 10 }]) {
  test(`refuses a target whose contents differ from its mark: ${JSON.stringify(change)}`, () => {
    assert.deepEqual(startFrom(holding(MARK, change), SOURCE), { kind: "target-changed" });
  });
}

test("advances the mark by the rows of a batch", () => {
  const user = (id: string) => ({ id: id as UserId, username: id, passwordHash: hashText(id) });
  const users = [user("c"), user("d")];
  assert.deepEqual(advance({ users, entries: [] }, MARK), { ...MARK, users: 4, userId: "d" });
  const entries = [8, 12].map((id) => ({ ...logEntry("an entry"), id }));
  const moved = { ...MARK, entries: 5, entryId: 12, lastEntryId: 12 };
  assert.deepEqual(advance({ users: [], entries }, MARK), moved);
  assert.deepEqual(advance({ users: [], entries: [] }, MARK), MARK);
});

test("parses a mark in each state as it was written", () => {
  for (const state of ["copying", "different", "finished"] as const) {
    const mark = { ...MARK, state };
    assert.deepEqual(parseMark(JSON.stringify(mark)), mark);
  }
});

const { state: _, ...stateless } = MARK;
const others: readonly unknown[] = [
  ...[null, 1, "copying", true, [], {}],
  ...["source", "userId"].flatMap((name) => [1, null, undefined].map((to) => ({ [name]: to }))),
  ...["users", "entries", "entryId", "lastEntryId"].flatMap((name) =>
    ["1", 1.5, null, undefined].map((to) => ({ [name]: to })),
  ),
  ...["", "done", 1].map((state) => ({ state })),
].map((one) => (typeof one === "object" && one !== null ? { ...MARK, ...one } : one));

for (const text of [undefined, "", "by hand", "{", JSON.stringify(stateless), JSON.stringify([])]) {
  test(`does not parse as a mark: ${text}`, () => {
    assert.equal(parseMark(text), undefined);
  });
}

for (const other of others.filter((one) => JSON.stringify(one) !== JSON.stringify(MARK))) {
  test(`does not parse as a mark: ${JSON.stringify(other)}`, () => {
    assert.equal(parseMark(JSON.stringify(other)), undefined);
  });
}
