import assert from "node:assert/strict";
import { test } from "node:test";
import { createChallenges } from "../../../src/features/passkeys/challenges.ts";
import {
  type PasskeyResponse,
  signInWithPasskey,
} from "../../../src/features/passkeys/sign-in-with-passkey.ts";
import type { SignInOutcome } from "../../../src/features/sign-in/sign-in.ts";
import { type Authenticator, createAuthenticator, PARTY } from "../../support/authenticator.ts";
import { createCoreServices } from "../../support/core-services.ts";
import { userIdIn } from "../../support/mint.ts";
import { addTo } from "../../support/store.ts";
import { added, ownerWithPasskey, type TestPasskeyServices } from "./passkey-services.ts";

const REJECTED = { kind: "rejected" };

let clients = 0;

/** From an address of its own, so that the limit does not decide. */
function signIn(
  ports: TestPasskeyServices,
  answer: PasskeyResponse,
  remoteAddress?: string,
): Promise<SignInOutcome> {
  clients += 1;
  const from = remoteAddress ?? `2001:db8::${clients.toString(16)}`;
  return signInWithPasskey(ports, answer, PARTY, { remoteAddress: from });
}

test("signs in, and records it like any sign-in", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const outcome = await signIn(ports, passkey.get(ports.challenges.issue("sign-in"), owner.id));
  assert.ok(outcome.kind === "signed-in");
  assert.deepEqual(outcome.user, { id: owner.id, username: owner.username });
  assert.equal(userIdIn(ports.tokens, outcome.token.text), owner.id);
  assert.deepEqual((await passkeys())[0]?.usedAt, new Date(ports.clock.now()));
  assert.deepEqual((await ports.writtenEntries()).slice(1), ["signin: Signed in as owner"]);
});

test("accepts an answer once, also when it is sent twice at the same time", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  const answer = passkey.get(ports.challenges.issue("sign-in"), owner.id);
  const outcomes = await Promise.all([signIn(ports, answer), signIn(ports, answer)]);
  assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ["rejected", "signed-in"]);
  ports.clock.advance(299_999);
  assert.deepEqual(await signIn(ports, answer), REJECTED);
});

test("signs in with each passkey of an account, and notes its use only", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  ports.clock.advance(1);
  const second = await added(ports, owner.id);
  const now = new Date(ports.clock.now());
  const usesAfter = async (one: Authenticator) => {
    const answer = one.get(ports.challenges.issue("sign-in"), owner.id);
    assert.equal((await signIn(ports, answer)).kind, "signed-in");
    return (await passkeys()).map(({ usedAt }) => usedAt);
  };
  assert.deepEqual(await usesAfter(second), [undefined, now]);
  assert.deepEqual(await usesAfter(passkey), [now, now]);
});

test("rejects what is no sign-in of this site, and keeps the challenge", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  const challenge = ports.challenges.issue("sign-in");
  const creation = passkey.get(challenge, owner.id, { type: "webauthn.create" });
  assert.deepEqual(await signIn(ports, creation), REJECTED);
  assert.equal((await signIn(ports, passkey.get(challenge, owner.id))).kind, "signed-in");
});

test("rejects unknown users and passkeys, and foreign signatures", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const { challenges, clock } = ports;
  const expired = passkey.get(challenges.issue("sign-in"), owner.id);
  clock.advance(300_000);
  const answer = passkey.get(challenges.issue("sign-in"), owner.id);
  const other = createAuthenticator().get(challenges.issue("sign-in"), owner.id);
  const foreign = createChallenges(["another secret"], clock).issue("sign-in");
  const wrong: readonly PasskeyResponse[] = [
    passkey.get(challenges.issue("sign-in"), "nobody"),
    passkey.get(challenges.issue("sign-in"), ""),
    other,
    { ...other, id: passkey.id },
    { ...answer, signature: other.signature },
    { ...answer, clientData: other.clientData },
    passkey.get(foreign, owner.id),
    passkey.get(challenges.issue({ addTo: owner.id }), owner.id),
    passkey.get("", owner.id),
    expired,
  ];
  const before = await passkeys();
  for (const one of wrong) assert.deepEqual(await signIn(ports, one), REJECTED);
  assert.deepEqual(await passkeys(), before);
  assert.equal((await ports.writtenEntries()).length, 1, "only that it was added");
});

test("a passkey of one account does not sign in another", async (t) => {
  const { ports, passkey } = await ownerWithPasskey(t);
  const guest = await addTo(ports.store, "guest");
  await added(ports, guest.id);
  const asGuest = passkey.get(ports.challenges.issue("sign-in"), guest.id);
  assert.deepEqual(await signIn(ports, asGuest), REJECTED);
});

test("rejects a counter that does not grow, and logs it", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  const use = async (counter: number): Promise<string> => {
    const challenge = ports.challenges.issue("sign-in");
    return (await signIn(ports, passkey.get(challenge, owner.id, { counter }))).kind;
  };
  assert.equal(await use(0), "signed-in", "it does not count yet");
  assert.equal(await use(7), "signed-in");
  assert.equal(ports.log.lines.length, 0);
  for (const counter of [7, 6, 0]) assert.equal(await use(counter), "rejected");
  assert.equal(await use(8), "signed-in");
  const lines = ports.log.lines.map(({ level, fields }) => [level, fields]);
  const expected = Array.from({ length: 3 }, () => ["warn", { username: "owner" }]);
  assert.deepEqual(lines, expected);
  assert.match(ports.log.lines[0]?.message ?? "", /signature counter did not grow/);
});

test("denies the sixth attempt of an address within a minute, and records it", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  const from = "192.0.2.7";
  const answer = () => passkey.get(ports.challenges.issue("sign-in"), owner.id);
  for (let attempt = 0; attempt < 4; attempt += 1) ports.passkeyLimiter.attempt(from);
  assert.equal((await signIn(ports, answer(), from)).kind, "signed-in");
  assert.deepEqual(await signIn(ports, answer(), from), { kind: "rate-limited" });
  const [entry] = (await ports.writtenEntries()).toReversed();
  assert.equal(entry, "signin_rate_limited: Rate limited login from 192.0.2.7");
});

test("requires the setup without an account", async (t) => {
  const core = await createCoreServices(t);
  const ports = { ...core, challenges: createChallenges(["secret"], core.clock) };
  const answer = createAuthenticator().get(ports.challenges.issue("sign-in"), "1");
  assert.deepEqual(await signIn(ports, answer), { kind: "needs-setup" });
});
