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
    for (const token of [code, tokenOf("b")]) await store.tokens.set(token);
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
    for (const id of ["a", "b"]) await store.tokens.set(tokenOf(id));
    await onlyOne(({ tokens }, i) => tokens.consume("a", at(i)), 8);
    const consumed = await store.tokens.find("a");
    assert.ok(consumed?.consumedAt);
    assert.equal(await store.tokens.consume("a", at(99)), false);
    assert.deepEqual(await store.tokens.find("a"), consumed, "the first time stays");
    assert.deepEqual(await store.tokens.find("b"), tokenOf("b"));
  });

  rule("keeps a token consumed when it is written again", async (store, { race }) => {
    await store.tokens.set(tokenOf("a", { userCode: "hash" }));
    await store.tokens.consume("a", at(1));
    const next = tokenOf("a", { content: '{"grant":1}', grantId: "g", expiresAt: at(10) });
    await store.tokens.set(next);
    assert.deepEqual(await store.tokens.find("a"), { ...next, consumedAt: at(1) });
    assert.equal(
      await store.tokens.findByUserCode("hash"),
      undefined,
      "an absent field is removed",
    );
    await race(({ tokens }) => tokens.set(next), 2);
    assert.equal(await store.tokens.consume("a", at(2)), false);
  });

  rule("consumes once while others write the token", async (store, { race }) => {
    await store.tokens.set(tokenOf("a"));
    const outcomes = await race(async ({ tokens }, i) => {
      if (i % 2 === 0) return tokens.consume("a", at(1));
      await tokens.set(tokenOf("a", { content: `${i}` }));
      return false;
    }, 4);
    assert.equal(outcomes.filter(Boolean).length, 1);
  });

  rule("removes a token", async (store) => {
    for (const id of ["a", "b"]) await store.tokens.set(tokenOf(id));
    for (const id of ["a", "a", "unknown"]) await store.tokens.remove(id);
    assert.equal(await store.tokens.find("a"), undefined);
    assert.deepEqual(await store.tokens.find("b"), tokenOf("b"));
  });

  rule(
    "exchanges a code for tokens once, and writes nothing for the others",
    async (store, all) => {
      await store.tokens.set(tokenOf("code"));
      const outcomes = await all.race(({ tokens }, i) =>
        tokens.commit({ consumed: ["code"], written: [tokenOf(`token ${i}`)] }, at(1)),
      );
      const winner = outcomes.indexOf("committed");
      assert.equal(outcomes.filter((outcome) => outcome === "committed").length, 1);
      const found = await Promise.all(outcomes.map((_, i) => store.tokens.find(`token ${i}`)));
      assert.deepEqual(
        found.map((token) => token?.id),
        outcomes.map((_, i) => (i === winner ? `token ${i}` : undefined)),
      );
      const none = { consumed: [], written: [tokenOf("z")] };
      assert.equal(await store.tokens.commit(none, at(1)), "committed");
    },
  );
}
