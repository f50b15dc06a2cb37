import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type AttemptLimiter,
  createAttemptLimiter,
  linkRule,
} from "../../src/identity/attempt-limiter.ts";
import { fakeClock } from "../support/fake-clock.ts";

/** Addresses `first` to `last`, one attempt each. */
function flood(limiter: AttemptLimiter, first: number, last: number): Set<string> {
  const answers = new Set<string>();
  for (let i = first; i <= last; i += 1) answers.add(limiter.attempt(`address ${i}`));
  return answers;
}

test("denies every attempt beyond 10,001 addresses, expired or not, until the clean-up", () => {
  const clock = fakeClock();
  const limiter = createAttemptLimiter(clock);
  assert.deepEqual([...flood(limiter, 1, 10_000)], ["allowed"]);
  assert.equal(limiter.attempt("address 1"), "allowed", "a tracked one");
  assert.equal(limiter.attempt("address 10001"), "allowed");
  const deniesAll = (): void => {
    assert.equal(limiter.attempt("address 10002"), "denied", "a new address");
    assert.equal(limiter.attempt("address 1"), "denied", "a tracked one that has room");
    assert.equal(limiter.tracked, 10_001);
  };
  deniesAll();
  clock.advance(120_000);
  deniesAll();
  limiter.cleanUp();
  assert.equal(limiter.tracked, 0);
  assert.equal(limiter.attempt("address 1"), "allowed");
});

test("allows one address twenty one-time links a minute", () => {
  const limiter = createAttemptLimiter(fakeClock(), linkRule);
  const answers = Array.from({ length: 21 }, () => limiter.attempt("203.0.113.7"));
  assert.deepEqual([answers.lastIndexOf("allowed"), answers.indexOf("denied")], [19, 20]);
});

type Step =
  | { readonly do: "attempt"; readonly address: string }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "clean up" };

interface PastAttempt {
  readonly address: string;
  readonly at: number;
}

/** Forgets nothing: every question is answered from the whole history of allowed attempts. */
function naiveModel() {
  const history: PastAttempt[] = [];
  let now = 0;
  let cleanedAt = Number.NEGATIVE_INFINITY;
  const isSpent = (address: string): boolean =>
    history.filter((past) => past.address === address && now - past.at < 60_000).length === 5;

  return {
    isSpent,
    attempt(address: string): string {
      if (isSpent(address)) return "denied";
      history.push({ address, at: now });
      return "allowed";
    },
    advance(ms: number): void {
      now += ms;
    },
    cleanUp(): void {
      cleanedAt = now;
    },
    /** An address is tracked while one of its attempts has not been seen stale by a clean-up. */
    tracked(): number {
      const survives = ({ at }: PastAttempt) => cleanedAt - at < 60_000;
      return new Set(history.filter(survives).map(({ address }) => address)).size;
    },
  };
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("attempt"), address: fc.constantFrom("a", "b", "c") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("advance"),
      ms: fc.oneof(fc.nat(20_000), fc.constantFrom(1, 59_999, 60_000, 60_001)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clean up") }) },
);

test("matches a model that keeps the whole history", () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 120, size: "max" }), (sequence) => {
      const clock = fakeClock();
      const limiter = createAttemptLimiter(clock);
      const model = naiveModel();
      for (const step of sequence) {
        switch (step.do) {
          case "attempt":
            assert.equal(limiter.isSpent(step.address), model.isSpent(step.address));
            assert.equal(limiter.attempt(step.address), model.attempt(step.address));
            break;
          case "advance":
            clock.advance(step.ms);
            model.advance(step.ms);
            break;
          case "clean up":
            limiter.cleanUp();
            model.cleanUp();
            break;
        }
        assert.equal(limiter.tracked, model.tracked());
      }
    }),
    { numRuns: 500 },
  );
});
