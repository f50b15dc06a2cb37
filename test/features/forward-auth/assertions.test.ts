import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from "jose";
import type { User, UserId } from "../../../src/db/records.ts";
import { createAssertions } from "../../../src/features/forward-auth/assertions.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { SECRET } from "../../support/gate.ts";

const OTHER = "another secret for tests, as long";
const HOST = "app.example.test";

const userOf = (username: string, groups?: readonly string[], id = "user-1"): User => ({
  id: id as UserId,
  username,
  ...(groups && { groups }),
});
const ANN = userOf("ann", ["admins", "family"]);

const start = (secret = SECRET, previous: readonly string[] = []) => {
  const clock = fakeClock();
  const assertions = createAssertions(secret, clock, previous);
  const keys = createLocalJWKSet({ keys: assertions.publicKeys.map((key) => ({ ...key })) });
  /** As another implementation verifies it. */
  const read = async (token = "") =>
    jwtVerify(token, keys, { currentDate: new Date(clock.now()), requiredClaims: ["exp"] });
  return { ...assertions, clock, read };
};

test("another implementation verifies who asks, for which host, and for one minute", async () => {
  const { getAssertion: about, publicKeys: keys, read, clock } = start();
  for (const [host, aud] of [
    [HOST, HOST],
    ["APP.Example.test:8443", HOST],
    ["[::1]:80", "[::1]"],
  ] as const) {
    const { payload, protectedHeader } = await read(about(ANN, host));
    const iat = Math.floor(clock.now() / 1_000);
    const claims = { sub: "user-1", username: "ann", groups: ["admins", "family"] };
    assert.deepEqual(payload, { ...claims, aud, iat, exp: iat + 60 });
    assert.deepEqual(protectedHeader, { alg: "EdDSA", typ: "JWT", kid: keys[0]?.kid });
  }
  assert.deepEqual((await read(about(userOf("J ü", undefined), HOST))).payload.groups, []);
  const key = { ...keys[0] };
  assert.equal(key.kid, await calculateJwkThumbprint(key));
  assert.equal("d" in key, false, "the private part");
  clock.advance(60_000);
  await assert.rejects(read(start().getAssertion(ANN, HOST)), /exp/);
});

test("names no host that is not one, and none that is too long", () => {
  const { getAssertion: about } = start();
  for (const host of ["", "a b", "a/b", "x@app.test", "a,b", "*", `${"a".repeat(300)}.test`]) {
    assert.equal(about(ANN, host), undefined, host);
  }
});

test("hands one out again while it is valid for 29 seconds or more", async () => {
  const { getAssertion: about, clock, read } = start();
  const first = about(ANN, HOST);
  for (const [pass, isSame] of [
    [29_999, true],
    [1, false],
    [29_999, false],
    [-30_000, false],
  ] as const) {
    clock.advance(pass);
    const again = about(ANN, HOST);
    assert.equal(again === first, isSame, `after ${pass} ms`);
    const { exp, iat } = (await read(again)).payload;
    const now = clock.now() / 1_000;
    assert.ok(Number(exp) - now >= 29 && Number(iat) <= now, `${exp} at ${now}`);
  }
});

test("signs again for a user who was read again, and for more hosts than it remembers", async () => {
  const { getAssertion: about, clock, read } = start();
  const first = about(ANN, HOST);
  clock.advance(1_000);
  const changed = { ...ANN, groups: ["family"] };
  assert.deepEqual((await read(about(changed, HOST))).payload.groups, ["family"]);
  assert.equal(about(ANN, HOST), first);
  for (const at of Array(64).keys()) {
    assert.equal((await read(about(ANN, `app${at}.test`))).payload.aud, `app${at}.test`);
  }
  assert.notEqual(about(ANN, HOST), first);
});

test("never names another user, group or host than was asked about", async () => {
  const { getAssertion: about, read } = start();
  const text = fc.constantFrom("a", "b", 'a"', '"}', "a,b", '","username":"b', "\n");
  const host = fc.constantFrom("a.test", "b.test", "a.test:1", "A.test");
  await fc.assert(
    fc.asyncProperty(text, text, fc.array(text, { maxLength: 2 }), host, async (...given) => {
      const [id, username, groups, asked] = given;
      const { payload } = await read(about(userOf(username, groups, id), asked));
      const { sub, aud } = payload;
      const named = [sub, payload.username, payload.groups, aud];
      assert.deepEqual(named, [id, username, groups, asked.toLowerCase().replace(":1", "")]);
    }),
  );
});

test("gates with one secret sign alike, and keys of previous secrets stay listed", async () => {
  const before = start(OTHER);
  const after = start(SECRET, [OTHER]);
  assert.deepEqual(before.publicKeys, start(OTHER).publicKeys);
  assert.equal(before.getAssertion(ANN, HOST), start(OTHER).getAssertion(ANN, HOST));
  await after.read(before.getAssertion(ANN, HOST));
  const { protectedHeader } = await after.read(after.getAssertion(ANN, HOST));
  assert.equal(protectedHeader.kid, start().publicKeys[0]?.kid);
  await assert.rejects(start().read(before.getAssertion(ANN, HOST)), /no applicable key/);
});
