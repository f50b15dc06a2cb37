import assert from "node:assert/strict";
import { test } from "node:test";
import type { User, UserId } from "../../src/db/records.ts";
import { admitsUser, type Lists, NO_LISTS } from "../../src/identity/admits-user.ts";

const ann: User = { id: "1" as UserId, username: "ann", groups: ["family", "photos"] };
const guest: User = { ...ann, guest: true };
const ungrouped: User = { id: ann.id, username: "ann" };

const lists = (users: Lists["users"], groups: Lists["groups"] = []): Lists => ({ users, groups });
const FAMILY = ["staff", "family"];

test("without a list, everybody is admitted but guests", () => {
  const admitted = [ann, guest].map((user) => admitsUser(NO_LISTS, user));
  assert.deepEqual(admitted, [true, false]);
});

const admitting: readonly (readonly [string, Lists, ann: boolean, guest: boolean])[] = [
  ["the name", lists([["ben", "ann"]]), true, false],
  ["another name", lists([["Ann"]]), false, false],
  ["the name in one list of two", lists([["ann"], ["ben"]]), false, false],
  ["the name in two lists", lists([["ann"], ["ann", "ben"]]), true, false],
  ["a group", lists([], [FAMILY]), true, true],
  ["no group", lists([], [["staff"]]), false, false],
  ["a group in one list of two", lists([], [FAMILY, ["staff"]]), false, false],
  ["a group in two lists", lists([], [FAMILY, ["photos"]]), true, true],
  ["the name, and no group", lists([["ann"]], [["staff"]]), true, false],
  ["a group, and another name", lists([["ben"]], [FAMILY]), true, true],
  ["neither", lists([["ben"]], [["staff"]]), false, false],
  ["what cannot be read", lists([[undefined]], [[undefined]]), false, false],
];
for (const [what, given, ofAnn, ofGuest] of admitting) {
  test(`lists with ${what} admit ${ofAnn ? "" : "no "}user and ${ofGuest ? "a" : "no"} guest`, () => {
    assert.deepEqual([admitsUser(given, ann), admitsUser(given, guest)], [ofAnn, ofGuest]);
    const byName = given.users.length > 0 && ofAnn && given.groups[0] !== FAMILY;
    assert.equal(admitsUser(given, ungrouped), byName, "in no group");
  });
}
