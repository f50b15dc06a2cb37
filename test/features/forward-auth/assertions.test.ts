import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { calculateJwkThumbprint, createLocalJWKSet, type JWK, jwtVerify } from "jose";
import type { User, UserId } from "../../../src/db/records.ts";
import type { Store } from "../../../src/db/store.ts";
import { createAssertions } from "../../../src/features/forward-auth/assertions.ts";
import {
  readSigningKeys,
  rotateSigningKeys,
  selectKey,
  toPublicKeys,
} from "../../../src/features/oidc/signing-keys.ts";
import { createSeals } from "../../../src/identity/seals.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { SECRET } from "../../support/gate.ts";
import { openStore } from "../../support/store.ts";

const HOST = "app.example.test";

const userOf = (username: string, groups?: readonly string[], id = "user-1"): User => ({
  id: id as UserId,
  username,
  ...(groups && { groups }),
});
const ANN = userOf("ann", ["admins", "family"]);

async function start(t: TestContext, store?: Store) {
  const clock = fakeClock();
  const seals = createSeals(SECRET);
  const services = { store: store ?? (await openStore(t)), clock, seals, record() {} };
  const readKeys = () => readSigningKeys(services);
  const { getAssertion } = createAssertions(readKeys, clock);
  /** As another implementation verifies it. */
  const read = async (token = "") => {
    const keys = createLocalJWKSet({ keys: [...toPublicKeys(await readKeys())] as JWK[] });
    const currentDate = new Date(clock.now());
    return jwtVerify(token, keys, { currentDate, requiredClaims: ["exp"] });
  };
  return { getAssertion, services, clock, readKeys, read };
}

test("another implementation verifies who asks, for which host, and for one minute", async (t) => {
  const { getAssertion: about, readKeys, read, clock } = await start(t);
  for (const [host, aud] of [
    [HOST, HOST],
    ["APP.Example.test:8443", HOST],
    ["[::1]:80", "[::1]"],
  ] as const) {
    const { payload, protectedHeader } = await read(await about(ANN, host));
    const iat = Math.floor(clock.now() / 1_000);
    const claims = { sub: "user-1", username: "ann", groups: ["admins", "family"] };
    assert.deepEqual(payload, { ...claims, aud, iat, exp: iat + 60 });
    const { kid } = selectKey(await readKeys(), "EdDSA");
    assert.deepEqual(protectedHeader, { alg: "EdDSA", typ: "JWT", kid });
  }
  assert.deepEqual((await read(await about(userOf("J ü", undefined), HOST))).payload.groups, []);
  const profile = { name: "Ann Ü", email: "ann@b.test" };
  const known = { ...ANN, ...profile, emailVerified: true };
  const { name, email } = (await read(await about(known, HOST))).payload;
  assert.deepEqual({ name, email }, profile);
  const unverified = await read(await about({ ...known, emailVerified: false }, HOST));
  assert.deepEqual([unverified.payload.name, unverified.payload.email], [profile.name, undefined]);
  for (const key of toPublicKeys(await readKeys()) as JWK[]) {
    assert.equal(key.kid, await calculateJwkThumbprint(key));
    assert.equal("d" in key || "p" in key, false, "the private part");
  }
  const issued = await about(ANN, HOST);
  clock.advance(60_000);
  await assert.rejects(read(issued), /exp/);
});

test("names no host that is not one, and none that is too long", async (t) => {
  const { getAssertion: about } = await start(t);
  for (const host of ["", "a b", "a/b", "x@app.test", "a,b", "*", `${"a".repeat(300)}.test`]) {
    assert.equal(await about(ANN, host), undefined, host);
  }
});

test("hands one out again while it is valid for 29 seconds or more", async (t) => {
  const { getAssertion: about, clock, read } = await start(t);
  const first = await about(ANN, HOST);
  for (const [pass, isSame] of [
    [29_999, true],
    [1, false],
    [29_999, false],
    [-30_000, false],
  ] as const) {
    clock.advance(pass);
    const again = await about(ANN, HOST);
    assert.equal(again === first, isSame, `after ${pass} ms`);
    const { exp, iat } = (await read(again)).payload;
    const now = clock.now() / 1_000;
    assert.ok(Number(exp) - now >= 29 && Number(iat) <= now, `${exp} at ${now}`);
  }
});

test("signs again for a user who was read again, and for more hosts than it remembers", async (t) => {
  const { getAssertion: about, clock, read } = await start(t);
  const first = await about(ANN, HOST);
  clock.advance(1_000);
  const changed = { ...ANN, groups: ["family"] };
  assert.deepEqual((await read(await about(changed, HOST))).payload.groups, ["family"]);
  assert.equal(await about(ANN, HOST), first);
  for (const at of Array(64).keys()) {
    assert.equal((await read(await about(ANN, `app${at}.test`))).payload.aud, `app${at}.test`);
  }
  assert.notEqual(await about(ANN, HOST), first);
});

test("never names another user, group or host than was asked about", async (t) => {
  const { getAssertion: about, read } = await start(t);
  const text = fc.constantFrom("a", "b", 'a"', '"}', "a,b", '","username":"b', "\n");
  const host = fc.constantFrom("a.test", "b.test", "a.test:1", "A.test");
  await fc.assert(
    fc.asyncProperty(text, text, fc.array(text, { maxLength: 2 }), host, async (...given) => {
      const [id, username, groups, asked] = given;
      const { payload } = await read(await about(userOf(username, groups, id), asked));
      const { sub, aud } = payload;
      const named = [sub, payload.username, payload.groups, aud];
      assert.deepEqual(named, [id, username, groups, asked.toLowerCase().replace(":1", "")]);
    }),
  );
});

test("gates share the keys, and after a rotation the earlier ones stay listed", async (t) => {
  const first = await start(t);
  const second = await start(t, first.services.store as Store);
  const before = await first.getAssertion(ANN, HOST);
  await second.read(before);
  first.clock.advance(30_000);
  second.clock.advance(30_000);
  await rotateSigningKeys(first.services);
  const after = await second.getAssertion(ANN, HOST);
  const { protectedHeader } = await second.read(after);
  assert.notEqual(protectedHeader.kid, (await second.read(before)).protectedHeader.kid);
  await first.read(after);
});
