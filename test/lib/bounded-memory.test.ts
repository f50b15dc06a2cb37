import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createBoundedMemory, memoize } from "../../src/lib/bounded-memory.ts";

test("counts a key once in both generations, until it is deleted", () => {
  const credentialCache = createBoundedMemory<string, number>(4);
  for (const [at, key] of ["a", "b", "c", "a"].entries()) credentialCache.set(key, at + 1);
  assert.equal(credentialCache.size, 3);
  assert.deepEqual([...credentialCache.values()].sort(), [2, 3, 4]);
  credentialCache.delete("a");
  assert.deepEqual([credentialCache.size, credentialCache.get("a")], [2, undefined]);
});

type Step = { readonly do: "get" | "set" | "delete"; readonly key: number };

const steps: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom("get", "get", "set", "set", "set", "delete"),
  key: fc.nat(30),
});

test("never exceeds the capacity or returns old values, and keeps recent keys", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 16 }),
      fc.array(steps, { maxLength: 200, size: "max" }),
      (capacity, sequence) => {
        const credentialCache = createBoundedMemory<number, number>(capacity);
        const truth = new Map<number, number>();
        // The keys in the order of their last use, the latest last. Deleting one counts as a use.
        let used: number[] = [];
        for (const [step, { do: what, key }] of sequence.entries()) {
          if (what !== "get" || credentialCache.get(key) !== undefined) {
            used = [...used.filter((one) => one !== key), key];
          }
          if (what === "delete") {
            credentialCache.delete(key);
            truth.delete(key);
          } else if (what === "set") {
            credentialCache.set(key, step);
            truth.set(key, step);
          } else {
            const got = credentialCache.get(key);
            assert.ok(got === undefined || got === truth.get(key), "out of date");
          }
          assert.ok(credentialCache.size <= capacity, `${credentialCache.size} of ${capacity}`);
        }
        for (const key of used.slice(-Math.floor(capacity / 2))) {
          assert.equal(credentialCache.get(key), truth.get(key), "used recently");
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("memoize computes again only what it no longer keeps", () => {
  const computed: number[] = [];
  const isEven = memoize(2, (number: number) => {
    computed.push(number);
    return number % 2 === 0;
  });
  assert.deepEqual([1, 1, 2, 2, 3, 1].map(isEven), [false, false, true, true, false, false]);
  assert.deepEqual(computed, [1, 2, 3, 1]);
});
