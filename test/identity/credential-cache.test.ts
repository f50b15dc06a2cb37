import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredUser, User, UserId } from "../../src/db/records.ts";
import {
  createCredentialCache,
  type FoundCredential,
  type LookupOutcome,
  type RequiredFactor,
} from "../../src/identity/credential-cache.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { addTo, hashText, openStore } from "../support/store.ts";

const OWNER = "user-1" as UserId;
const GUEST = "user-2" as UserId;
const TEXT = "a token";

interface Admission {
  readonly user: User;
}

/** A store that answers when the test says so, and a part of a cache over it. */
function cacheOverSlowStore(findFactor?: (user: User) => Promise<RequiredFactor>) {
  const clock = fakeClock();
  /** How far the system clock has been set. */
  const system = { set: 0 };
  const cache = createCredentialCache(
    { users: { any: () => Promise.reject(new Error("not asked for")) } },
    { ...clock, now: () => clock.now() + system.set },
    findFactor,
  );
  const createPart = (maxTextLength?: number) =>
    cache.createPart<string, Admission>({
      admit: (_, user) => ({ user }),
      ...(maxTextLength !== undefined && { maxTextLength }),
    });
  const part = createPart();
  const reads: PromiseWithResolvers<FoundCredential<string> | undefined>[] = [];
  const lookUp = (text: string = TEXT, into = part) =>
    into.lookUp(text, () => {
      const read = Promise.withResolvers<FoundCredential<string> | undefined>();
      reads.push(read);
      return read.promise;
    });
  /** Ends a read: finds a credential of an account. */
  const answer = (
    index: number,
    user: Partial<StoredUser> = {},
    expiresAt: number = Number.POSITIVE_INFINITY,
  ) =>
    reads[index]?.resolve({
      credential: "the credential",
      expiresAt,
      user: { id: OWNER, username: "owner", passwordHash: hashText("hash"), ...user },
    });
  /** A lookup from its begin to its end. */
  const find = async (text: string = TEXT, user: Partial<StoredUser> = {}, expiresAt?: number) => {
    const outcome = lookUp(text);
    answer(reads.length - 1, user, expiresAt);
    return outcome;
  };
  const remembered = (text: string = TEXT) => part.findCurrent(text, clock.monotonic())?.admission;
  return { clock, system, cache, createPart, part, reads, lookUp, answer, find, remembered };
}

const nameIn = (outcome: LookupOutcome<string, Admission>): string =>
  outcome.kind === "found" ? outcome.entry.admission.user.username : outcome.kind;

test("remembers a frozen admission for one second, which its use does not extend", async () => {
  const { clock, find, part, remembered } = cacheOverSlowStore();
  const outcome = await find();
  assert.ok(outcome.kind === "found");
  const { admission } = outcome.entry;
  assert.deepEqual(admission, { user: { id: OWNER, username: "owner" } }, "without the hash");
  assert.ok(Object.isFrozen(admission) && Object.isFrozen(admission.user));
  clock.advance(999);
  assert.equal(remembered(), admission);
  clock.advance(1);
  assert.equal(remembered(), undefined);
  assert.equal(part.findVerified(TEXT), "the credential", "it need not be verified again");
  part.forgetText(TEXT);
  assert.equal(part.findVerified(TEXT), undefined);
});

test("counts the second from the query, so a slow answer is remembered for less time", async () => {
  const { clock, lookUp, answer, remembered } = cacheOverSlowStore();
  const outcome = lookUp();
  clock.advance(600);
  answer(0);
  await outcome;
  clock.advance(399);
  assert.ok(remembered());
  clock.advance(1);
  assert.equal(remembered(), undefined);
});

test("drops every entry of a changed account at once, and those of no other account", async () => {
  const { cache, find, remembered, part } = cacheOverSlowStore();
  for (const text of ["one", "two"]) await find(text);
  await find("other", { id: GUEST });
  cache.forget(OWNER);
  const texts = ["one", "two", "other"];
  const areRemembered = () => texts.map((text) => remembered(text) !== undefined);
  assert.deepEqual(areRemembered(), [false, false, true]);
  assert.deepEqual(areRemembered(), [false, false, true], "also when asked again");
  assert.equal(part.findVerified("one"), "the credential");
  await find("one");
  assert.deepEqual(areRemembered(), [true, false, true]);
  cache.forget("all");
  assert.deepEqual(areRemembered(), [false, false, false]);
});

test("drops every entry after the change of more accounts than it notes", async () => {
  const { cache, find, remembered } = cacheOverSlowStore();
  await find();
  for (let i = 0; i < 10_000; i += 1) cache.forget(`other-${i}` as UserId);
  assert.ok(remembered());
  cache.forget("one more" as UserId);
  assert.equal(remembered(), undefined);
  await find();
  assert.ok(remembered());
  cache.forget(OWNER);
  assert.equal(remembered(), undefined);
});

test("shares one lookup between concurrent requests with one text", async () => {
  const { lookUp, answer, reads } = cacheOverSlowStore();
  const outcomes = Array.from({ length: 50 }, () => lookUp());
  const other = lookUp("another token");
  assert.equal(reads.length, 2);
  answer(0);
  answer(1, { username: "other" });
  const names = (await Promise.all(outcomes)).map(nameIn);
  assert.deepEqual(names, Array(50).fill("owner"));
  assert.equal(nameIn(await other), "other");
});

test("shares no lookup that began a second ago, and does not remember its late answer", async () => {
  const { clock, lookUp, answer, reads, remembered } = cacheOverSlowStore();
  const first = lookUp();
  clock.advance(999);
  assert.equal(lookUp(), first);
  clock.advance(1);
  const second = lookUp();
  assert.equal(reads.length, 2);
  answer(1, { username: "new" });
  assert.equal(nameIn(await second), "new");
  answer(0, { username: "old" });
  assert.equal(nameIn(await first), "old");
  assert.equal(remembered()?.user.username, "new");
});

test("does not remember a lookup that began before its account changed", async () => {
  for (const changed of [OWNER, "all"] as const) {
    const { cache, lookUp, answer, reads, remembered } = cacheOverSlowStore();
    const before = lookUp();
    cache.forget(changed);
    const after = lookUp();
    assert.equal(reads.length, 2, "the lookup from before the change is not shared");
    answer(0, { username: "old" });
    assert.equal(nameIn(await before), "old");
    assert.equal(remembered(), undefined);
    answer(1, { username: "new" });
    await after;
    assert.equal(remembered()?.user.username, "new");
  }
});

test("remembers no outdated lookup that ends last", async () => {
  const { cache, lookUp, answer, remembered } = cacheOverSlowStore();
  const before = lookUp();
  cache.forget(OWNER);
  const after = lookUp();
  answer(1, { username: "new" });
  await after;
  answer(0, { username: "old" });
  await before;
  assert.equal(remembered()?.user.username, "new");
});

test("remembers no lookup during which its account changes, while nothing else asks", async () => {
  const { cache, lookUp, answer, part, remembered } = cacheOverSlowStore();
  const outcome = lookUp();
  cache.forget(GUEST);
  cache.forget(OWNER);
  answer(0);
  await outcome;
  assert.equal(remembered(), undefined);
  assert.equal(part.size, 0);
  const other = lookUp();
  cache.forget(GUEST);
  answer(1);
  await other;
  assert.ok(remembered(), "the change of another account does not matter");
});

test("forgets a credential that is not found any more, and remembers none that was not found", async () => {
  const { clock, lookUp, reads, find, part } = cacheOverSlowStore();
  await find();
  clock.advance(1_000);
  for (let i = 1; i < 3; i += 1) {
    const outcome = lookUp();
    assert.equal(part.size, i === 1 ? 1 : 0);
    reads[i]?.resolve(undefined);
    assert.deepEqual(await outcome, { kind: "unknown" });
  }
  assert.equal(reads.length, 3);
  assert.equal(part.size, 0);
});

test("rejects all callers of a failed lookup, and looks up again for the next", async () => {
  const { lookUp, reads, find } = cacheOverSlowStore();
  const both = Promise.allSettled([lookUp(), lookUp()]);
  reads[0]?.reject(new Error("unreachable"));
  assert.deepEqual(
    (await both).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(nameIn(await find()), "owner");
});

test("looks an account without its required factor up each time, but verifies the credential once", async () => {
  let factor: RequiredFactor = "missing";
  const { find, remembered, part } = cacheOverSlowStore(async () => factor);
  for (let i = 0; i < 2; i += 1) {
    assert.equal(nameIn(await find()), "owner");
    assert.equal(remembered(), undefined, "it may be turned on elsewhere");
    assert.equal(part.findVerified(TEXT), "the credential");
  }
  factor = "required";
  await find();
  assert.ok(remembered());
});

test("does not remember an account whose factors change while they are read", async () => {
  const factor = Promise.withResolvers<RequiredFactor>();
  const { cache, lookUp, answer, remembered } = cacheOverSlowStore(() => factor.promise);
  const outcome = lookUp();
  answer(0);
  await new Promise((resolve) => setImmediate(resolve));
  cache.forget(OWNER);
  factor.resolve("optional");
  assert.equal(nameIn(await outcome), "owner");
  assert.equal(remembered(), undefined);
});

test("remembers a credential or an account that ends within the second until its end only", async () => {
  for (const what of ["credential", "account"]) {
    const { clock, find, remembered } = cacheOverSlowStore();
    const end = clock.now() + 500;
    await (what === "credential"
      ? find(TEXT, {}, end)
      : find(TEXT, { endsAt: new Date(end) }, clock.now() + 900));
    clock.advance(499);
    assert.ok(remembered(), what);
    clock.advance(1);
    assert.equal(remembered(), undefined, what);
  }
});

test("refuses what ends while it is looked up, and ends that are no dates", async () => {
  const { clock, lookUp, answer, find, part } = cacheOverSlowStore();
  const ending = [lookUp("credential"), lookUp("account")];
  const end = clock.now() + 500;
  clock.advance(500);
  answer(0, {}, end);
  answer(1, { endsAt: new Date(end) });
  const kinds = (await Promise.all(ending)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["expired", "unknown"]);
  assert.equal((await find(TEXT, {}, Number.NaN)).kind, "expired");
  assert.equal((await find(TEXT, { endsAt: new Date(Number.NaN) })).kind, "unknown");
  assert.equal(part.size, 0);
});

test("notices within a second that the system clock was set past an end", async () => {
  const { clock, system, find, remembered } = cacheOverSlowStore();
  const end = clock.now() + 86_400_000;
  await find(TEXT, {}, end);
  system.set = 86_400_000;
  clock.advance(999);
  assert.ok(remembered());
  clock.advance(1);
  assert.equal(remembered(), undefined);
  assert.equal((await find(TEXT, {}, end)).kind, "expired");
  assert.equal((await find(TEXT, { endsAt: new Date(end) })).kind, "unknown");
});

test("finds no entry of one part in another, but drops those of an account from both", async () => {
  const { clock, cache, createPart, lookUp, answer, remembered } = cacheOverSlowStore();
  const other = createPart();
  const outcome = lookUp();
  answer(0);
  await outcome;
  assert.ok(remembered());
  assert.equal(other.findCurrent(TEXT, clock.monotonic()), undefined);
  assert.equal(other.findVerified(TEXT), undefined);
  const into = lookUp(TEXT, other);
  answer(1);
  await into;
  assert.equal(cache.countAccounts(), 1);
  cache.forget(OWNER);
  assert.equal(remembered(), undefined);
  assert.equal(other.findCurrent(TEXT, clock.monotonic()), undefined);
});

test("remembers no longer text than the part allows", async () => {
  const { createPart, lookUp, answer } = cacheOverSlowStore();
  const part = createPart(8);
  for (const [index, text] of ["x".repeat(8), "x".repeat(9)].entries()) {
    const outcome = lookUp(text, part);
    answer(index);
    assert.equal(nameIn(await outcome), "owner");
    assert.equal(part.findVerified(text), index === 0 ? "the credential" : undefined);
  }
});

test("remembers at most 32,768 credentials, and keeps the recently used half", async () => {
  const { find, part, remembered } = cacheOverSlowStore();
  const MAX = 32_768;
  await find("token 0");
  for (let first = 0; first < MAX * 1.5; first += 1_024) {
    const batch = Array.from({ length: 1_024 }, (_, i) => find(`token ${first + i}`));
    await Promise.all(batch);
    assert.ok(remembered("token 0"));
    assert.ok(part.size <= MAX);
  }
  for (let i = MAX; i < MAX * 1.5; i += 1) assert.ok(remembered(`token ${i}`));
  assert.equal(part.findVerified("token 1"), undefined);
});

test("notes a use once an hour, also when the account is looked up again in between", async () => {
  const { clock, find, part } = cacheOverSlowStore();
  const noted: number[] = [];
  for (let minute = 0; minute <= 60; minute += 1) {
    const outcome = await find();
    assert.ok(outcome.kind === "found");
    for (let i = 0; i < 2; i += 1) {
      if (part.isUseDue(outcome.entry, clock.monotonic())) noted.push(minute);
    }
    clock.advance(60_000);
  }
  assert.deepEqual(noted, [0, 60]);
});

test("queries whether an account exists until the answer is yes", async (t) => {
  const store = await openStore(t);
  const any = t.mock.fn(store.users.any);
  const cache = createCredentialCache({ users: { any } }, fakeClock());
  assert.equal(await cache.anyExists(), false);
  assert.equal(await cache.anyExists(), false);
  await addTo(store, "owner");
  assert.equal(await cache.anyExists(), true);
  assert.equal(any.mock.callCount(), 3);
  assert.equal(cache.anyExists(), true, "without a promise");
  cache.forget("all");
  assert.equal(cache.anyExists(), true);
  assert.equal(any.mock.callCount(), 3);
});
