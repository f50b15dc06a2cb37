import assert from "node:assert/strict";
import { test } from "node:test";
import { joinTexts, splitTexts, tables, toRowValues } from "../../src/db/tables.ts";

test("gives the values of a record in the order of the columns, and refuses other types", () => {
  const texts = { id: "l", tokenHash: "h", purpose: "guest", name: "party" } as const;
  const link = { ...texts, groups: ["a", "b"], expiresAt: new Date(5), usesLeft: 1 };
  const row = [
    "l",
    "h",
    "guest",
    null,
    "party",
    ",a,b,",
    null,
    null,
    null,
    5,
    1,
    null,
    null,
    null,
    null,
  ];
  assert.deepEqual(toRowValues(tables.links, link), row);
  const invalid = new Date(Number.NaN);
  for (const [field, values] of Object.entries({
    ...{ id: [5], userId: [{}], groups: ["a", { 0: "a" }], usesLeft: ["1", true] },
    ...{ endsAt: [0, 5, "2030-01-31", invalid], expiresAt: [invalid] },
  })) {
    const fault = { code: "invalid_option", message: `${field} has a value of the wrong type` };
    for (const value of values)
      assert.throws(() => toRowValues(tables.links, { ...link, [field]: value }), fault);
  }
});

test("keeps a list of texts as one text, in which each is found", () => {
  for (const [texts, stored] of [
    [[], ","],
    [["a"], ",a,"],
    [["b", "a"], ",b,a,"],
  ] as const) {
    assert.equal(joinTexts(texts), stored);
    assert.deepEqual(splitTexts(stored), texts);
  }
});
