import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Store } from "../../../src/db/store.ts";
import {
  readSigningKeys,
  rotateSigningKeys,
  type SigningJwk,
} from "../../../src/features/oidc/signing-keys.ts";
import { createSeals } from "../../../src/identity/seals.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { openStore } from "../../support/store.ts";

const DAY_MS = 86_400_000;
const clock = fakeClock();

const instanceOf = (store: Store, secret = "a secret of these tests, long enough") => ({
  ...{ store, clock, seals: createSeals(secret), record() {} },
});

const start = async (t: TestContext) => instanceOf(await openStore(t));
const idsOf = (keys: readonly SigningJwk[]) => keys.map(({ kid }) => kid);

test("makes a key of each algorithm at first use, also if all instances ask at once", async (t) => {
  const first = await start(t);
  const others = [1, 2, 3].map(() => instanceOf(first.store));
  const [keys, ...same] = await Promise.all([first, ...others].map(readSigningKeys));
  assert.deepEqual(keys?.map(({ alg }) => alg).sort(), ["ES256", "EdDSA", "RS256"]);
  for (const other of same) assert.deepEqual(other, keys);
});

test("keeps the private keys sealed", async (t) => {
  const instance = await start(t);
  const keys = await readSigningKeys(instance);
  const stored = JSON.stringify(await instance.store.signingKeys.list());
  for (const key of keys) assert.ok(!stored.includes(String((key as { d?: unknown }).d)));
});

test("an instance with another secret makes keys of its own, and leaves the others", async (t) => {
  const first = await start(t);
  const keys = await readSigningKeys(first);
  const other = instanceOf(first.store, "another secret of these tests, long enough");
  const own = await readSigningKeys(other);
  assert.equal(idsOf(own).filter((id) => idsOf(keys).includes(id)).length, 0);
  assert.deepEqual(await readSigningKeys(first), keys);
  assert.deepEqual(await readSigningKeys(other), own);
});

test("signs with new keys after 90 days, and lists the earlier ones for 30 more", async (t) => {
  const instance = await start(t);
  const first = await readSigningKeys(instance);
  clock.advance(90 * DAY_MS);
  assert.deepEqual(await readSigningKeys(instance), first);
  clock.advance(1);
  const both = await readSigningKeys(instance);
  assert.deepEqual(idsOf(both.slice(3)).sort(), idsOf(first).sort());
  clock.advance(91 * DAY_MS);
  const later = await readSigningKeys(instance);
  assert.equal(later.length, 6, "the keys of the second time, and of now");
  assert.deepEqual(
    later.filter(({ kid }) => idsOf(first).includes(kid)),
    [],
  );
});

test("a rotation replaces the keys once, and the earlier ones still verify", async (t) => {
  const instance = await start(t);
  assert.equal(await rotateSigningKeys(instance), "no-keys");
  const first = await readSigningKeys(instance);
  clock.advance(1_000);
  assert.equal(await rotateSigningKeys(instance), "rotated");
  const [one, two] = await Promise.all([readSigningKeys(instance), readSigningKeys(instance)]);
  assert.deepEqual(one, two);
  assert.deepEqual(idsOf(one.slice(3)).sort(), idsOf(first).sort());
  assert.deepEqual(await readSigningKeys(instance), one);
});
