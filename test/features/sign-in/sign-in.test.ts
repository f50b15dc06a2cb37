import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { hash as bcrypt } from "@node-rs/bcrypt";
import { type SignInAttempt, signIn } from "../../../src/features/sign-in/sign-in.ts";
import { Unavailable } from "../../../src/lib/fault.ts";
import { createCoreServices, hashingAfter } from "../../support/core-services.ts";
import { OWNER } from "../../support/gate.ts";
import { userIdIn } from "../../support/mint.ts";
import { hashText } from "../../support/store.ts";

const attemptBy = (fields: Partial<SignInAttempt> = {}): SignInAttempt => ({
  ...OWNER,
  remoteAddress: "192.0.2.1",
  ...fields,
});

async function configured(t: TestContext) {
  const ports = await createCoreServices(t);
  return { ports, owner: await ports.insertOwner() };
}

test("requires the setup without an account and does not count the attempt", async (t) => {
  const ports = await createCoreServices(t);
  assert.deepEqual(await signIn(ports, attemptBy()), { kind: "needs-setup" });
  assert.equal(ports.signInLimiter.tracked, 0);
  assert.deepEqual(await ports.writtenEntries(), []);
});

test("returns the user and a token and records an entry for the right credentials", async (t) => {
  const { ports, owner } = await configured(t);
  const outcome = await signIn(ports, attemptBy());
  assert.ok(outcome.kind === "signed-in");
  assert.deepEqual(outcome.user, { id: owner.id, username: OWNER.username }, "without the hash");
  assert.equal(userIdIn(ports.tokens, outcome.token.text), owner.id);
  assert.equal(outcome.token.factors, 1);
  assert.deepEqual(await ports.writtenEntries(), [`signin: Signed in as ${OWNER.username}`]);
});

test("records a denied attempt, and neither looks up a user nor verifies a password", async (t) => {
  const { ports } = await configured(t);
  for (let i = 0; i < 5; i += 1) ports.signInLimiter.attempt("192.0.2.1");
  const untouchable = (): Promise<never> => Promise.reject(new Error("was asked"));
  t.mock.method(ports.store.users, "findActiveByName", untouchable);
  t.mock.method(ports.passwords, "verify", untouchable);
  assert.deepEqual(await signIn(ports, attemptBy()), { kind: "rate-limited" });
  const entry = "signin_rate_limited: Rate limited login from 192.0.2.1";
  assert.deepEqual(await ports.writtenEntries(), [entry]);
});

test("counts the attempt before the lookup, so a burst gets at most five", async (t) => {
  const { ports } = await configured(t);
  const burst = Array.from({ length: 8 }, () => signIn(ports, attemptBy({ password: "wrong" })));
  const kinds = (await Promise.all(burst)).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === "rejected").length, 5);
  assert.equal(kinds.filter((kind) => kind === "rate-limited").length, 3);
});

test("verifies a hash for an unknown user too, and rejects any result", async (t) => {
  const { ports } = await configured(t);
  const steps: unknown[] = [];
  t.mock.method(ports.store.codes, "find", async () => void steps.push("codes"));
  t.mock.method(ports.passwords, "verify", async (_: string, hash: unknown) => {
    steps.push(hash);
    return true;
  });
  const outcome = await signIn(ports, attemptBy({ username: "unknown" }));
  assert.deepEqual(outcome, { kind: "rejected" });
  assert.deepEqual(steps, ["codes", undefined]);
});

test("fails the sign-in without an entry when the token cannot be created", async (t) => {
  const { ports } = await configured(t);
  const failure = new Error("no entropy");
  t.mock.method(ports.tokens, "issue", () => assert.fail(failure));
  await assert.rejects(signIn(ports, attemptBy()), failure);
  assert.deepEqual(await ports.writtenEntries(), []);
});

/** The ports with an owner whose hash is outdated. */
async function withBcryptHash(t: TestContext) {
  const ports = await createCoreServices(t);
  return { ports, owner: await ports.insertOwner(hashText(await bcrypt(OWNER.password, 4))) };
}

test("replaces a bcrypt hash with argon2id at a sign-in", async (t) => {
  const { ports, owner } = await withBcryptHash(t);
  assert.equal((await signIn(ports, attemptBy({ password: "wrong" }))).kind, "rejected");
  assert.equal((await ports.store.users.find(owner.id))?.passwordHash, owner.passwordHash);

  const link = { id: "a", tokenHash: "a", purpose: "reset", userId: owner.id } as const;
  await ports.store.links.insert({ ...link, expiresAt: new Date(1e15), usesLeft: 1 });
  assert.equal((await signIn(ports, attemptBy())).kind, "signed-in");
  assert.ok(await ports.store.links.find("a", new Date()), "the password is the same");
  const renewed = (await ports.store.users.find(owner.id))?.passwordHash;
  assert.match(renewed ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal((await signIn(ports, attemptBy())).kind, "signed-in");
  assert.equal((await signIn(ports, attemptBy({ password: "wrong" }))).kind, "rejected");
  const stored = (await ports.store.users.find(owner.id))?.passwordHash;
  assert.equal(stored, renewed, "renewed once only");
});

test("signs in with a warning when the outdated hash cannot be replaced", async (t) => {
  const { ports, owner } = await withBcryptHash(t);
  const busy = () => Promise.reject(new Unavailable("store_busy", "locked", 1));
  t.mock.method(ports.store.users, "replaceHash", busy);
  assert.equal((await signIn(ports, attemptBy())).kind, "signed-in");
  assert.equal((await ports.store.users.find(owner.id))?.passwordHash, owner.passwordHash);
  const message = "an outdated password hash was not renewed";
  assert.deepEqual(ports.log.lines, [{ level: "warn", message, fields: { reason: "locked" } }]);
  assert.deepEqual(await ports.writtenEntries(), [`signin: Signed in as ${OWNER.username}`]);
});

test("does not undo a concurrent password change when it replaces an outdated hash", async (t) => {
  const { ports, owner } = await withBcryptHash(t);
  const changed = await ports.passwords.hash("changed meanwhile");
  const { users } = ports.store;
  const change = () => users.replaceHash(owner.id, owner.passwordHash, changed);
  await signIn(hashingAfter(ports, change), attemptBy());
  assert.equal((await ports.store.users.find(owner.id))?.passwordHash, changed);
});
