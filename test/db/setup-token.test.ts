import assert from "node:assert/strict";
import { ruleForBoth as rule } from "./either.ts";

rule(
  "keeps one setup token for all instances, the first of those kept at once",
  async (store, other) => {
    assert.equal(await store.setupToken.find(), undefined);
    const offered = Array.from({ length: 8 }, (_, at) => `token ${at}`);
    const kept = await Promise.all(
      offered.map((token, at) => (at % 2 === 0 ? store : other).setupToken.keep(token)),
    );
    assert.equal(new Set(kept).size, 1);
    assert.ok(offered.includes(String(kept[0])));
    for (const one of [store, other]) assert.equal(await one.setupToken.find(), kept[0]);
  },
);

rule("replaces and removes the setup token for all instances", async (store, other) => {
  await store.setupToken.replace("one");
  await other.setupToken.replace("two");
  assert.equal(await store.setupToken.keep("three"), "two");
  await store.setupToken.remove();
  await other.setupToken.remove();
  assert.equal(await other.setupToken.find(), undefined);
});
