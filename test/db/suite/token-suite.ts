import assert from "node:assert/strict";
import { tokenOf } from "./app-samples.ts";
import type { Rule, With } from "./database.ts";
import { at, TEXT } from "./samples.ts";

/** Codes and tokens of OpenID Connect. */
export function testTokens(rule: Rule<With<"tokens">>): void {
  rule("returns tokens as they were written, on every connection", async (store, { connect }) => {
    const code = tokenOf("a", {
      ...{ kind: "DeviceCode", userCode: "hash", grantId: "g" },
      content: JSON.stringify({ text: TEXT.repeat(2_000) }),
    });
    for (const token of [code, tokenOf("b")]) await store.tokens.set(token, at(0));
    const { tokens } = await connect();
    assert.deepEqual(await tokens.find("a"), code);
    assert.deepEqual(await tokens.find("b"), tokenOf("b"));
    assert.deepEqual(await tokens.findByUserCode("hash"), code);
    for (const unknown of ["", "A", "a\0", "x".repeat(100_000)]) {
      assert.equal(await tokens.find(unknown), undefined);
      assert.equal(await tokens.findByUserCode(unknown), undefined);
      assert.equal(await tokens.consume(unknown, at(0)), false);
    }
  });

  rule("consumes a token once, whoever asks", async (store, { onlyOne }) => {
    for (const id of ["a", "b"]) await store.tokens.set(tokenOf(id), at(0));
    await onlyOne(({ tokens }, i) => tokens.consume("a", at(i)), 8);
    const consumed = await store.tokens.find("a");
    assert.ok(consumed?.consumedAt);
    assert.equal(await store.tokens.consume("a", at(99)), false);
    assert.deepEqual(await store.tokens.find("a"), consumed, "the first time stays");
    assert.deepEqual(await store.tokens.find("b"), tokenOf("b"));
  });

  rule("keeps a token consumed when it is written again", async (store, { race }) => {
    await store.tokens.set(tokenOf("a", { userCode: "hash" }), at(0));
    await store.tokens.consume("a", at(1));
    const next = tokenOf("a", { content: '{"grant":1}', grantId: "g", expiresAt: at(10) });
    await store.tokens.set(next, at(0));
    assert.deepEqual(await store.tokens.find("a"), { ...next, consumedAt: at(1) });
    assert.equal(
      await store.tokens.findByUserCode("hash"),
      undefined,
      "an absent field is removed",
    );
    await race(({ tokens }) => tokens.set(next, at(0)), 2);
    assert.equal(await store.tokens.consume("a", at(2)), false);
  });

  rule("consumes once while others write the token", async (store, { race }) => {
    await store.tokens.set(tokenOf("a"), at(0));
    const outcomes = await race(async ({ tokens }, i) => {
      if (i % 2 === 0) return tokens.consume("a", at(1));
      await tokens.set(tokenOf("a", { content: `${i}` }), at(0));
      return false;
    }, 4);
    assert.equal(outcomes.filter(Boolean).length, 1);
  });

  rule("removes a token, and some that have expired two minutes ago", async (store) => {
    for (const [id, hours] of [["a", 1] as const, ["b", 1.98] as const, ["c", 9] as const])
      await store.tokens.set(tokenOf(id, { expiresAt: at(hours) }), at(0));
    await store.tokens.set(tokenOf("d"), at(2));
    await store.tokens.remove("c");
    await store.tokens.remove("c");
    const found = await Promise.all(["a", "b", "c", "d"].map((id) => store.tokens.find(id)));
    assert.deepEqual(
      found.map((token) => token?.id),
      [undefined, "b", undefined, "d"],
    );
  });
}
