import assert from "node:assert/strict";
import { test } from "node:test";
import { revokeKey } from "../../src/features/keys/manage-keys.ts";
import { createAttemptLimiter } from "../../src/identity/attempt-limiter.ts";
import { createAuthenticateKey } from "../../src/identity/authenticate-key.ts";
import {
  createAuthenticateToken,
  createSessionCache,
} from "../../src/identity/authenticate-session.ts";
import { createCredentialCache, type RequiredFactor } from "../../src/identity/credential-cache.ts";
import { createKeyText } from "../../src/identity/key-text.ts";
import { createCoreServices, NO_SIGN_OUTS } from "../support/core-services.ts";
import { eventually } from "../support/eventually.ts";
import { hashText } from "../support/store.ts";
import { from, keyPorts } from "./key-services.ts";

const HERE = from("192.0.2.1");
const refused = (problem: string) => ({ kind: "key-refused", problem });
const LIMITED = refused("limited");

test("admits a key as its account, and from memory without a promise or a query", async (t) => {
  const { guardWith, add, owner, store } = await keyPorts(t);
  const finding = t.mock.fn(store.keys.find);
  const guard = guardWith({ find: finding });
  const { text } = await add();
  const user = { id: owner.id, username: owner.username };
  const admitted = { kind: "key-admitted", user, factors: 1 };
  for (const header of [`Bearer ${text}`, `Basic ${btoa(`anyone:${text}`)}`]) {
    assert.deepEqual(await guard(header, HERE), admitted);
    const asked = finding.mock.callCount();
    assert.deepEqual(guard(header, HERE), admitted);
    assert.equal(finding.mock.callCount(), asked);
  }
  assert.equal(guard("Bearer other", HERE), undefined);
  // So that long usernames do not fill the memory, with one key.
  const long = `Basic ${btoa(`${"x".repeat(400)}:${text}`)}`;
  for (let i = 0; i < 2; i += 1) {
    const verdict = guard(long, HERE);
    assert.ok(verdict instanceof Promise, "looked up each time");
    assert.deepEqual(await verdict, admitted);
  }
});

test("refuses a mistyped key without asking the store, and an unknown one", async (t) => {
  const { guardWith, add, store } = await keyPorts(t);
  const finding = t.mock.fn(store.keys.find);
  const guard = guardWith({ find: finding });
  const { text } = await add();
  assert.deepEqual(await guard(`Bearer ${text.slice(0, -1)}`, HERE), refused("mistyped"));
  assert.equal(finding.mock.callCount(), 0);
  assert.deepEqual(await guard(`Bearer ${createKeyText()}`, HERE), refused("unknown"));
});

test("refuses a revoked key at once, and those of a removed account", async (t) => {
  const { guardWith, add, owner, store, credentialCache } = await keyPorts(t);
  const guard = guardWith();
  const [one, other] = [await add(), await add()];
  for (const { text } of [one, other]) await guard(`Bearer ${text}`, HERE);
  const changing = { store, credentialCache, record: () => {} };
  assert.equal(await revokeKey(changing, one.key.id, owner), "revoked");
  assert.equal(await revokeKey(changing, one.key.id, owner), "no-key");
  assert.deepEqual(await guard(`Bearer ${one.text}`, HERE), refused("unknown"));
  assert.equal((await guard(`Bearer ${other.text}`, HERE))?.kind, "key-admitted");
  await store.users.insert({ username: "other", passwordHash: owner.passwordHash });
  await store.users.remove(owner.id);
  credentialCache.forget(owner.id);
  assert.deepEqual(await guard(`Bearer ${other.text}`, HERE), refused("unknown"));
});

test("refuses a key that was revoked while it was looked up, from the next request on", async (t) => {
  for (const revokedAt of [1, 2]) {
    const { guardWith, add, store, owner, credentialCache, clock } = await keyPorts(t);
    const { text, key } = await add();
    const changing = { store, credentialCache, record: () => {} };
    let lookups = 0;
    const guard = guardWith({
      async find(hash) {
        lookups += 1;
        const found = await store.keys.find(hash);
        // The answer is late.
        if (lookups === revokedAt) await revokeKey(changing, key.id, owner);
        return found;
      },
    });
    for (let i = 1; i <= revokedAt; i += 1) {
      assert.equal((await guard(`Bearer ${text}`, HERE))?.kind, "key-admitted");
      if (i < revokedAt) clock.advance(1_000);
    }
    assert.equal(lookups, revokedAt);
    assert.deepEqual(await guard(`Bearer ${text}`, HERE), refused("unknown"));
  }
});

test("asks the store one question for a key, and one for all who ask at once", async (t) => {
  const { guardWith, add, store, credentialCache } = await keyPorts(t);
  const finding = t.mock.fn(store.keys.find);
  const guard = guardWith({ find: finding });
  const { text } = await add();
  await credentialCache.anyExists();
  const findUser = t.mock.method(store.users, "find");
  for (let i = 1; i <= 2; i += 1) {
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, () => guard(`Bearer ${text}`, HERE)),
    );
    assert.ok(verdicts.every((verdict) => verdict?.kind === "key-admitted"));
    assert.equal(finding.mock.callCount(), i);
    credentialCache.forget("all");
  }
  assert.equal(findUser.mock.callCount(), 0);
});

test("refuses a key of an account from its end on, also one that was used just before", async (t) => {
  const { guardWith, store, clock, add, owner } = await keyPorts(t);
  const guard = guardWith();
  const endsAt = new Date(clock.now() + 1_500);
  const passwordHash = owner.passwordHash;
  const temp = await store.users.insert({ username: "temp", passwordHash, endsAt });
  assert.ok(temp);
  const { text } = await add({}, temp);
  assert.equal((await guard(`Bearer ${text}`, HERE))?.kind, "key-admitted");
  clock.advance(1_499);
  assert.equal((await guard(`Bearer ${text}`, HERE))?.kind, "key-admitted");
  clock.advance(1);
  assert.deepEqual(await guard(`Bearer ${text}`, HERE), refused("unknown"));
});

test("a key opens nothing as a session, whether it was used as a key before or not", async (t) => {
  const { guardWith, add, credentialCache, tokens, clock, store, owner } = await keyPorts(t);
  const guard = guardWith();
  const requireUser = createAuthenticateToken(tokens, createSessionCache(credentialCache), clock, {
    store: store.sessions,
    pendingSignOuts: NO_SIGN_OUTS,
  });
  const { text } = await add();
  for (let i = 0; i < 2; i += 1) {
    for (const cookie of [text, `Bearer ${text}`])
      assert.deepEqual(await requireUser(cookie), { kind: "forged-token" });
    await guard(`Bearer ${text}`, HERE);
  }
  const session = tokens.issue(owner.id).text;
  assert.equal((await requireUser(session)).kind, "admitted");
  for (const header of [session, `Bearer ${session}`]) assert.equal(guard(header, HERE), undefined);
});

test("refuses a key from its expiry on, also after the system clock was set", async (t) => {
  const ports = await keyPorts(t);
  const { add, clock } = ports;
  const guard = ports.guardWith();
  const [year, ever] = [await add(), await add({ lifetime: "never" })];
  const kinds = async () =>
    Promise.all([year, ever].map(async ({ text }) => (await guard(`Bearer ${text}`, HERE))?.kind));
  clock.advance(365 * 86_400_000 - 1);
  assert.deepEqual(await kinds(), ["key-admitted", "key-admitted"]);
  clock.advance(1);
  assert.deepEqual(await guard(`Bearer ${year.text}`, HERE), refused("expired"));
  assert.deepEqual(await kinds(), ["key-refused", "key-admitted"]);
});

test("a key with hosts opens these only, and only then it is used", async (t) => {
  const { guardWith, add, clock, store } = await keyPorts(t);
  const guard = guardWith();
  const { text, key } = await add({ hosts: ["Feeds.example.test", "b.example.test"] });
  for (const host of [undefined, "", "example.test", "x.feeds.example.test"]) {
    const verdict = await guard(`Bearer ${text}`, from(undefined, host));
    assert.deepEqual(verdict, refused("other-host"), String(host));
  }
  // Within the second in which a refused request has read the user.
  clock.advance(500);
  for (const host of ["feeds.example.test", "b.example.test"]) {
    assert.equal((await guard(`Bearer ${text}`, from("192.0.2.1", host)))?.kind, "key-admitted");
  }
  const used = await eventually(async () => (await store.keys.find(key.hash))?.key.usedAt);
  assert.deepEqual(used, new Date(clock.now()));
});

test("limits wrong keys by network, and never keeps a right key out", async (t) => {
  const { guardWith, add, clock } = await keyPorts(t);
  const guard = guardWith();
  const [known, fresh] = [await add(), await add()];
  await guard(`Bearer ${known.text}`, from("2001:db8::1"));
  const wrong = () => guard(`Bearer ${createKeyText()}`, from(`2001:db8::${clock.monotonic()}`));
  const five = await Promise.all(Array.from({ length: 5 }, wrong));
  assert.deepEqual(five, Array(5).fill(refused("unknown")));
  assert.deepEqual(await wrong(), LIMITED);
  assert.deepEqual(await guard("Bearer latchkey_", from("2001:db8::1")), LIMITED, "mistyped");
  for (const { text } of [known, fresh]) {
    assert.equal((await guard(`Bearer ${text}`, from("2001:db8::1")))?.kind, "key-admitted");
  }
  assert.deepEqual(await guard(`Bearer ${createKeyText()}`, HERE), refused("unknown"));
  const ofNobody = () => guard(`Bearer ${createKeyText()}`, from(undefined));
  for (let i = 0; i < 6; i += 1) assert.deepEqual(await ofNobody(), refused("unknown"));
  clock.advance(60_000);
  assert.deepEqual(await wrong(), refused("unknown"));
});

test("after too many wrong keys, a network has one lookup at a time", async (t) => {
  const { guardWith, store } = await keyPorts(t);
  const finding = t.mock.fn(store.keys.find);
  const guard = guardWith({ find: finding });
  for (let i = 0; i < 5; i += 1) await guard(`Bearer ${createKeyText()}`, HERE);
  const flood = Array.from({ length: 50 }, () => guard(`Bearer ${createKeyText()}`, HERE));
  assert.deepEqual(await Promise.all(flood), Array(50).fill(LIMITED));
  assert.equal(finding.mock.callCount(), 6);
});

test("leaves a wrong key to the session guard while there is no account", async (t) => {
  const ports = await createCoreServices(t);
  const given = { ...ports, store: ports.store.keys, keyLimiter: ports.signInLimiter };
  const guard = createAuthenticateKey({ ...given, limitIpv6Prefix: 128 });
  const wrong = `Bearer ${createKeyText()}`;
  assert.equal(await guard(wrong, HERE), undefined);
  await ports.insertOwner(hashText("a hash"));
  assert.deepEqual(await guard(wrong, HERE), refused("unknown"));
});

test("notes the use of a key once an hour, and logs if that fails", async (t) => {
  const { guardWith, add, clock, store, log } = await keyPorts(t);
  const noting = t.mock.fn(store.keys.noteUsed);
  const guard = guardWith({ noteUsed: noting });
  const { text, key } = await add();
  const used = async () => (await store.keys.find(key.hash))?.key.usedAt;
  const start = new Date(clock.now());
  for (let minute = 0; minute < 60; minute += 1) {
    await guard(`Bearer ${text}`, HERE);
    assert.deepEqual(await eventually(used), start);
    clock.advance(60_000);
  }
  await guard(`Bearer ${text}`, HERE);
  await eventually(async () => ((await used())?.getTime() ?? 0) > start.getTime() || undefined);
  assert.equal(noting.mock.callCount(), 2);
  const failing = guardWith({ noteUsed: () => Promise.reject(new Error("no disk")) });
  assert.equal((await failing(`Bearer ${text}`, HERE))?.kind, "key-admitted");
  const line = await eventually(async () => log.lines.at(-1));
  const message = "the last use of a key was not recorded";
  assert.deepEqual(line, { level: "warn", message, fields: { reason: "no disk" } });
});

test("a key of one factor is refused while its account needs two, and says how many it has", async (t) => {
  const ports = await keyPorts(t);
  const { add, owner, store } = ports;
  let factor: RequiredFactor = "optional";
  const credentialCache = createCredentialCache(store, ports.clock, async () => factor);
  const keyLimiter = createAttemptLimiter(ports.clock);
  const guard = createAuthenticateKey({
    ...{ ...ports, credentialCache, keyLimiter, store: store.keys, limitIpv6Prefix: 64 },
  });
  const keys = [await add(), await add({ factors: 1 }), await add({ factors: 2 })];
  const found = async () => {
    const verdicts = await Promise.all(keys.map(({ text }) => guard(`Bearer ${text}`, HERE)));
    return verdicts.map((one) => (one?.kind === "key-admitted" ? one.factors : one?.problem));
  };
  assert.deepEqual(await found(), [1, 1, 2]);
  for (factor of ["required", "missing"] as const) {
    credentialCache.forget(owner.id);
    for (let i = 0; i < 9; i += 1)
      assert.deepEqual(await found(), ["factor-unproven", "factor-unproven", 2], factor);
  }
  factor = "optional";
  credentialCache.forget(owner.id);
  assert.deepEqual(await found(), [1, 1, 2], "it was not counted as a wrong key");
  for (const factors of [0, 3, "2", true])
    await assert.rejects(add({ factors: factors as never }), { code: "invalid_option" });
});
