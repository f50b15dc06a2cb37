import assert from "node:assert/strict";
import type { SigningKey } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { at } from "./samples.ts";

const keyOf = (id: string, hours: number, fields: Partial<SigningKey> = {}): SigningKey => ({
  ...{ id, algorithm: "RS256", sealed: `sealed ${id}`, createdAt: at(hours) },
  ...fields,
});
const pairOf = (id: string, hours: number): readonly SigningKey[] => [
  keyOf(`${id} 1`, hours),
  keyOf(`${id} 2`, hours, { algorithm: "ES256" }),
];
const NEVER = { since: at(-99), removeBefore: at(-99) };

/** The keys that sign tokens. */
export function testSigningKeys(rule: Rule<With<"signingKeys">>): void {
  rule("inserts the first keys of one of several instances", async (store, { onlyOne }) => {
    const made = await onlyOne(async ({ signingKeys }, i) => {
      const keys = pairOf(`${i}`, i);
      return (await signingKeys.insert(keys, NEVER)) && keys;
    });
    assert.deepEqual(await store.signingKeys.list(), made);
  });

  rule(
    "rotates once, and keeps the replaced keys for their time",
    async (store, { connect, onlyOne }) => {
      await store.signingKeys.insert(pairOf("a", 0), NEVER);
      const rotate = (hours: number, removeBefore: number) =>
        onlyOne(({ signingKeys }, i) =>
          signingKeys.insert(pairOf(`b${hours}${i}`, hours), {
            ...{ since: at(hours), removeBefore: at(removeBefore) },
          }),
        );
      await rotate(5, 0);
      const { signingKeys } = await connect();
      const [first, second, ...fresh] = await signingKeys.list();
      const replacedAt = at(5);
      assert.deepEqual(
        [first, second],
        pairOf("a", 0).map((key) => ({ ...key, replacedAt })),
      );
      assert.equal(fresh.length, 2);
      await rotate(9, 5);
      assert.equal((await signingKeys.list()).length, 6, "replaced at that moment");
      await rotate(12, 5.01);
      const left = await signingKeys.list();
      assert.deepEqual(
        left.map((key) => key.replacedAt),
        [at(9), at(9), at(12), at(12), undefined, undefined],
      );
    },
  );

  rule("leaves keys alone that cannot be opened, and inserts beside them", async (store) => {
    const [first, second] = [pairOf("a", 0), pairOf("b", 0)];
    await store.signingKeys.insert(first, NEVER);
    const ignored = first.map(({ id }) => id);
    assert.equal(await store.signingKeys.insert(second, { ...NEVER, since: at(0) }), false);
    assert.equal(await store.signingKeys.insert(second, { ...NEVER, since: at(0), ignored }), true);
    assert.deepEqual(await store.signingKeys.list(), [...first, ...second]);
  });

  rule("replaces all keys on demand, so that the next reader makes others", async (store) => {
    assert.equal(await store.signingKeys.replace(at(1)), false);
    const keys = pairOf("a", 0);
    await store.signingKeys.insert(keys, NEVER);
    assert.equal(await store.signingKeys.replace(at(1)), true);
    assert.equal(await store.signingKeys.replace(at(2)), false, "the first time stays");
    const replaced = keys.map((key) => ({ ...key, replacedAt: at(1) }));
    assert.deepEqual(await store.signingKeys.list(), replaced);
    assert.equal(await store.signingKeys.insert(pairOf("b", 1), NEVER), true);
  });
}
