import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_PASSWORD, type User, type UserId } from "../../src/db/records.ts";
import {
  type Admission,
  checkSetupFirst,
  createAuthenticateToken,
  createSessionCache,
  getAdmittedUser,
  isAdmitted,
} from "../../src/identity/authenticate-session.ts";
import { createCredentialCache, type RequiredFactor } from "../../src/identity/credential-cache.ts";
import { SESSION_LIFETIME_SECONDS } from "../../src/identity/session-token.ts";
import { toSession } from "../../src/identity/start-session.ts";
import {
  type CoreServices,
  createCoreServices,
  NO_SIGN_OUTS,
  signedInOwner,
} from "../support/core-services.ts";
import { strayFaults } from "../support/faults.ts";
import { mint, partsOf } from "../support/mint.ts";
import { CLIENT, idOf } from "./session-services.ts";

const NONE = { kind: "needs-sign-in" };
const FORGED = { kind: "forged-token" };
const admitted = (user: User) => ({ kind: "admitted", user, factors: 1 });

/** A guard with an empty cache of its own. */
const createGuard = (ports: Pick<CoreServices, "tokens" | "credentialCache" | "clock" | "store">) =>
  createAuthenticateToken(ports.tokens, createSessionCache(ports.credentialCache), ports.clock, {
    store: ports.store.sessions,
    pendingSignOuts: NO_SIGN_OUTS,
  });

test("requires the setup while no account exists, whatever the token", async (t) => {
  const ports = await createCoreServices(t);
  const requireUser = createGuard(ports);
  const guard = checkSetupFirst(ports.credentialCache, requireUser);
  assert.deepEqual(await guard(undefined), { kind: "needs-setup" });
  const token = ports.tokens.issue("unknown" as UserId).text;
  assert.deepEqual(await guard(token), { kind: "needs-setup" });
});

test("requires a sign-in without a user, and admits a user", async (t) => {
  const { ports, requireUser, token, user } = await signedInOwner(t);
  const guard = checkSetupFirst(ports.credentialCache, requireUser);
  assert.deepEqual(await guard(undefined), { kind: "needs-sign-in" });
  assert.deepEqual(await guard("a.b.c"), { kind: "forged-token" });
  const admitted = { kind: "admitted", user, factors: 1 };
  assert.deepEqual(await guard(token), admitted);
  assert.deepEqual(guard(token), admitted, "and next time without a promise");
  assert.deepEqual(guard(""), { kind: "needs-sign-in" });
  const admissions = [await guard(token), await guard(undefined), await guard("a.b.c")];
  assert.deepEqual(admissions.map(getAdmittedUser), [user, undefined, undefined]);
});

test("has a user in two kinds of an admission only", () => {
  const user = { id: "1" as UserId, username: "ann" };
  const there = { kind: "admitted", user, factors: 1 } as const;
  const admissions: Readonly<{ [Kind in Admission["kind"]]: Admission & { kind: Kind } }> = {
    admitted: there,
    guest: { kind: "guest", user, factors: 1 },
    "needs-setup": { kind: "needs-setup" },
    "needs-sign-in": { kind: "needs-sign-in" },
    "forged-token": { kind: "forged-token" },
    "factor-missing": { kind: "factor-missing", user },
    "factor-unproven": { kind: "factor-unproven" },
    bound: { kind: "bound", host: "photos.other.test", there },
  };
  const admitted = Object.values(admissions).filter(isAdmitted);
  assert.deepEqual(admitted, [admissions.admitted, admissions.guest]);
});

test("rejects, and leaves no rejection unhandled, when the count and the lookup both fail", async (t) => {
  const faults = strayFaults(t);
  const { ports, token } = await signedInOwner(t);
  const anyExists = () => Promise.reject(new Error("unreachable"));
  const guard = checkSetupFirst({ ...ports.credentialCache, anyExists }, () => {
    throw new Error("broken");
  });
  await assert.rejects(async () => guard(token), /unreachable|broken/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(faults, []);
});

test("admits nobody with a session that only one host accepts, and says which host that is", async (t) => {
  const { ports, user, requireUser: guard, token } = await signedInOwner(t);
  const own = ports.tokens.verify(token);
  assert.ok(typeof own === "object");
  const bound = ports.tokens.sign({ ...own, host: "photos.other.test" }).text;
  const admission = await guard(bound);
  const there = { kind: "admitted", user, factors: 1 };
  assert.deepEqual(admission, { kind: "bound", host: "photos.other.test", there });
  assert.equal(getAdmittedUser(admission), undefined);
  const again = await guard(bound);
  assert.equal(again, admission);
  assert.equal((await guard(token)).kind, "admitted");
  ports.clock.advance(2_000);
  assert.equal((await guard(bound)).kind, "bound", "also when the user was read again");
});

test("what the account needs and the session has proven decides who is admitted", async (t) => {
  const { ports, user, token } = await signedInOwner(t);
  const proven = ports.tokens.issue(user.id, 0, 2).text;
  const decided: readonly (readonly [RequiredFactor, object, object])[] = [
    ["optional", { kind: "admitted", user, factors: 1 }, { kind: "admitted", user, factors: 2 }],
    ["required", { kind: "factor-unproven" }, { kind: "admitted", user, factors: 2 }],
    ["missing", { kind: "factor-missing", user }, { kind: "factor-missing", user }],
  ];
  for (const [needed, withOne, withTwo] of decided) {
    const credentialCache = createCredentialCache(ports.store, ports.clock, async () => needed);
    const guard = createGuard({ ...ports, credentialCache });
    assert.deepEqual([await guard(token), await guard(proven)], [withOne, withTwo], needed);
    const isRemembered = !(guard(token) instanceof Promise);
    assert.equal(isRemembered, needed !== "missing", "it may be turned on elsewhere");
  }
});

test("never admits a guest, whom only apps may let in", async (t) => {
  const { ports, user, requireUser: guard, token } = await signedInOwner(t);
  const { passwordHash = NO_PASSWORD } = (await ports.store.users.find(user.id)) ?? {};
  await ports.store.users.replaceHash(user.id, passwordHash, NO_PASSWORD);
  const guest = { ...user, guest: true };
  assert.deepEqual(await guard(token), { kind: "guest", user: guest, factors: 1 });
});

test("does not count accounts in the guard for whole handlers", async (t) => {
  const ports = await createCoreServices(t);
  const any = t.mock.method(ports.store.users, "any");
  const guard = createGuard(ports);
  assert.deepEqual(guard(undefined), { kind: "needs-sign-in" });
  const token = ports.tokens.issue("unknown" as UserId).text;
  assert.deepEqual(await guard(token), { kind: "needs-sign-in" });
  assert.equal(any.mock.callCount(), 0);
});

test("admits nobody after the token has expired, and drops it from the cache", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const cache = createSessionCache(ports.credentialCache);
  const guard = createAuthenticateToken(ports.tokens, cache, ports.clock, {
    store: ports.store.sessions,
    pendingSignOuts: NO_SIGN_OUTS,
  });
  await guard(token);
  ports.clock.advance((SESSION_LIFETIME_SECONDS - 1) * 1_000);
  assert.deepEqual(await guard(token), admitted(user));
  ports.clock.advance(999);
  assert.deepEqual(guard(token), admitted(user));
  assert.equal(cache.size, 1);
  ports.clock.advance(1);
  assert.deepEqual(guard(token), NONE, "without a query");
  assert.equal(cache.size, 0);
});

test("verifies a genuine token once and one that only begins like it each time", async (t) => {
  const { ports, requireUser: guard, token, user } = await signedInOwner(t);
  const verify = t.mock.method(ports.tokens, "verify");
  for (let i = 0; i < 3; i += 1) {
    const found = guard(token);
    assert.ok(found instanceof Promise, "the user is not cached, or no longer");
    assert.deepEqual(await found, admitted(user));
    for (const forged of [`${token}A`, token.slice(0, -8)]) {
      assert.deepEqual(await guard(forged), FORGED);
    }
    ports.clock.advance(1_000);
  }
  const wereGenuine = verify.mock.calls.map(({ arguments: [text] }) => text === token);
  assert.deepEqual(wereGenuine, [true, ...Array(6).fill(false)]);
});

test("remembers a token with less than a second left only until it expires", async (t) => {
  const { ports, requireUser: guard, user } = await signedInOwner(t);
  const token = mint({ user_id: user.id, exp: Math.floor(ports.clock.now() / 1_000) + 60 });
  ports.clock.advance(59_900);
  assert.deepEqual(await guard(token), admitted(user));
  ports.clock.advance(99);
  assert.deepEqual(guard(token), admitted(user), "from the cache");
  ports.clock.advance(1);
  assert.deepEqual(await guard(token), NONE);
  assert.deepEqual(await guard(token), NONE, "asked again");
});

test("notices a changed system clock for each session of a user", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  let set = 0;
  const clock = { ...ports.clock, now: () => ports.clock.now() + set };
  const credentialCache = createCredentialCache(ports.store, clock);
  const guard = createAuthenticateToken(ports.tokens, createSessionCache(credentialCache), clock, {
    store: ports.store.sessions,
    pendingSignOuts: NO_SIGN_OUTS,
  });
  const later = mint({ user_id: user.id, exp: Math.floor(ports.clock.now() / 1_000) + 10 ** 8 });
  await guard(token);
  await guard(later);
  set = SESSION_LIFETIME_SECONDS * 1_000;
  for (let passed = 0; passed < 1_000; passed += 100) {
    ports.clock.advance(100);
    assert.deepEqual(await guard(later), admitted(user));
  }
  assert.deepEqual(await guard(token), NONE);
});

test("looks a changed user up again for each of their sessions", async (t) => {
  const { ports, requireUser: guard, token, user } = await signedInOwner(t);
  const other = ports.tokens.issue(user.id).text;
  await guard(token);
  await guard(other);
  assert.deepEqual(guard(other), admitted(user), "from the cache");
  ports.credentialCache.forget(user.id);
  for (const text of [token, other]) assert.ok(guard(text) instanceof Promise);
});

test("returns the same object without a promise, a query, a signature or the system clock while it is remembered", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const now = t.mock.fn(ports.clock.now);
  const monotonic = t.mock.fn(ports.clock.monotonic);
  const clock = { now, monotonic };
  const findUser = t.mock.method(ports.store.sessions, "findUser");
  const verify = t.mock.method(ports.tokens, "verify");
  const credentialCache = createCredentialCache(ports.store, clock);
  const guard = createAuthenticateToken(ports.tokens, createSessionCache(credentialCache), clock, {
    store: ports.store.sessions,
    pendingSignOuts: NO_SIGN_OUTS,
  });
  const admission = await guard(token);
  assert.deepEqual(admission, admitted(user));
  assert.ok(Object.isFrozen(admission));
  const before = [now.mock.callCount(), monotonic.mock.callCount()];
  for (let i = 0; i < 3; i += 1) assert.equal(guard(token), admission);
  const after = [now.mock.callCount(), monotonic.mock.callCount() - 3];
  assert.deepEqual(after, before, "one clock read each");
  assert.deepEqual([findUser.mock.callCount(), verify.mock.callCount()], [1, 1]);
});

/** A guard, and the IDs of the sessions that it notes as used. */
function notingUses({ tokens, credentialCache, clock, store }: CoreServices) {
  const used: string[] = [];
  const recorder = { recordUse: (id: string) => void used.push(id) };
  const guard = createAuthenticateToken(tokens, createSessionCache(credentialCache), clock, {
    store: store.sessions,
    pendingSignOuts: NO_SIGN_OUTS,
    recorder,
  });
  return { used, guard };
}

test("notes the use of a session once an hour, and not on every request", async (t) => {
  const { ports, token } = await signedInOwner(t);
  const { used, guard } = notingUses(ports);
  const { jti } = partsOf(token).claims;
  for (let minute = 0; minute < 60; minute += 1) {
    await Promise.all([guard(token), guard(token)]);
    guard(token);
    ports.clock.advance(60_000);
  }
  assert.deepEqual(used, [jti]);
  await guard(token);
  assert.deepEqual(used, [jti, jti]);
});

test("does not note the use of a session that is refused, or of one without an ID", async (t) => {
  const { ports, user } = await signedInOwner(t);
  const { used, guard } = notingUses(ports);
  await guard(ports.tokens.issue("unknown" as UserId).text);
  const withoutId = mint({ user_id: user.id, exp: ports.clock.now() / 1_000 + 60 });
  assert.deepEqual(await guard(withoutId), admitted(user));
  assert.deepEqual(used, []);
});

test("reads whether a session has ended with its user in one query, at most once a second", async (t) => {
  const { ports, token, user, requireUser: guard } = await signedInOwner(t);
  const findUser = t.mock.method(ports.store.sessions, "findUser");
  const others = (["find", "any"] as const).map((name) => t.mock.method(ports.store.users, name));
  const hasEnded = t.mock.method(ports.store.sessions, "hasEnded");
  const asked = await Promise.all(Array.from({ length: 20 }, () => guard(token)));
  assert.deepEqual(asked, Array(20).fill(admitted(user)));
  for (let i = 0; i < 3; i += 1) assert.deepEqual(await guard(token), admitted(user));
  assert.equal(findUser.mock.callCount(), 1);
  for (const { mock } of [...others, hasEnded]) assert.equal(mock.callCount(), 0);
  ports.clock.advance(1_000);
  const ended = toSession(ports.tokens.issue(user.id), ports.clock.now(), CLIENT);
  await ports.store.sessions.end({ ...ended, id: idOf(token) }, new Date(ports.clock.now()));
  assert.deepEqual(await guard(token), NONE);
  assert.deepEqual(await guard(token), NONE);
});

test("refuses a session that ended while it was looked up, from the next request on", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const findUser: typeof ports.store.sessions.findUser = async (...given) => {
    const found = await ports.store.sessions.findUser(...given);
    await ports.store.users.endSessions(user.id, ports.clock.now() / 1_000 + 1);
    ports.credentialCache.forget(user.id);
    return found;
  };
  const guard = createAuthenticateToken(
    ports.tokens,
    createSessionCache(ports.credentialCache),
    ports.clock,
    {
      store: { findUser },
      pendingSignOuts: NO_SIGN_OUTS,
    },
  );
  assert.deepEqual(await guard(token), admitted(user), "it began before");
  assert.deepEqual(await guard(token), NONE);
});

test("rejects a request whose lookup fails, admits nobody by it, and asks again for the next", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const findUser = t.mock.fn(ports.store.sessions.findUser);
  const fail = () => Promise.reject(new Error("unreachable"));
  findUser.mock.mockImplementationOnce(fail, 0);
  findUser.mock.mockImplementationOnce(fail, 2);
  const guard = createAuthenticateToken(
    ports.tokens,
    createSessionCache(ports.credentialCache),
    ports.clock,
    {
      store: { findUser },
      pendingSignOuts: NO_SIGN_OUTS,
    },
  );
  await assert.rejects(async () => guard(token), /unreachable/);
  assert.deepEqual(await guard(token), admitted(user));
  ports.clock.advance(1_000);
  await assert.rejects(async () => guard(token), /unreachable/, "also one that was admitted");
  assert.deepEqual(await guard(token), admitted(user));
});
