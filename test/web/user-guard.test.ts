import assert from "node:assert/strict";
import { test } from "node:test";
import { expressAuth } from "../../src/adapters/express.ts";
import { createAuth } from "../../src/index.ts";
import { optionsWith } from "../support/options.ts";

test("a guard takes a list of groups that accounts can have, and nothing else", async (t) => {
  const auth = createAuth(optionsWith());
  t.after(() => auth.close());
  const { requireAuth } = expressAuth(auth);
  for (const groups of [[], "family", ["Family"], ["family,photos"], [""], undefined, null]) {
    const given = { groups } as never;
    for (const make of [() => auth.adapter.requireAuth.only(given), () => requireAuth(given)]) {
      assert.throws(make, { code: "invalid_option", message: /groups: \["family"\]/ });
    }
  }
  const misspelt = { group: ["family"] } as never;
  assert.throws(() => requireAuth(misspelt), { code: "invalid_option" });
});
