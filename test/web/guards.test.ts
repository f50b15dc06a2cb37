import assert from "node:assert/strict";
import { test } from "node:test";
import { expressAuth } from "../../src/adapters/express.ts";
import { messageOf } from "../../src/core/base/fault.ts";
import { createAuth, fetchRequest } from "../../src/index.ts";
import { asksForFactor } from "../../src/web/guards.ts";
import { openAuth } from "../support/auth.ts";
import { optionsWith } from "../support/options.ts";

test("a guard takes a list of groups that accounts can have, and nothing else", async (t) => {
  const auth = createAuth(optionsWith());
  t.after(() => auth.close());
  const { requireAuth } = expressAuth(auth);
  const wrongNames = [["Family"], ["family", "Family"], ["family,photos"], [""], [null]];
  for (const groups of [[], "family", ...wrongNames, [["family"]], undefined, null]) {
    const given = { groups } as never;
    for (const make of [() => auth.adapter.requireAuth.only(given), () => requireAuth(given)]) {
      assert.throws(make, { code: "invalid_option", message: /groups: \["family"\]/ });
    }
  }
  for (const wrong of [{ group: ["family"] }, null] as never[])
    assert.throws(() => requireAuth(wrong), { code: "invalid_option" });
});

for (const path of ["/auth/login", "/auth/setup"]) {
  test(`a guard that is asked for ${path} fails once instead of redirecting to itself`, async (t) => {
    const { auth, log } = await openAuth(t, { basePath: "/auth" });
    const request = fetchRequest(new Request(`http://localhost${path}?return_to=/a`));
    for (const guard of [auth.adapter.requireAuth, auth.adapter.authMiddleware]) {
      const result = await guard(undefined, () => request);
      assert.ok(result.kind === "refused");
      assert.deepEqual([result.answer.status, result.answer.headers.Location], [500, undefined]);
    }
    const reason = `a guard was called for ${path}, which Latchkey's routes answer: mount the routes before the guard`;
    const reasons = log.map(({ fields }) => messageOf(fields.err));
    assert.deepEqual(reasons, [reason, reason]);
  });
}

test("a second factor is asked for by factor=2 alone", () => {
  for (const [query, asks] of [
    ["?factor=2", true],
    ["?x=1&factor=2", true],
    ["?factor=1", false],
    ["?factor=", false],
    ["", false],
  ] as const) {
    const request = fetchRequest(new Request(`http://localhost/login${query}`));
    assert.equal(asksForFactor(request), asks, query);
  }
});
