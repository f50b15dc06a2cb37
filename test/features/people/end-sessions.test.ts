import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAuditEvent } from "../../../src/audit/events.ts";
import type { UserId } from "../../../src/db/records.ts";
import { endAllSessions, endUserSessions } from "../../../src/features/people/accounts.ts";
import {
  createAuthenticateToken,
  createSessionCache,
  getAdmittedUser,
} from "../../../src/identity/authenticate-session.ts";
import { createSessionTokens } from "../../../src/identity/session-token.ts";
import { NO_SIGN_OUTS } from "../../support/core-services.ts";
import { SECRET } from "../../support/gate.ts";
import { mint, partsOf } from "../../support/mint.ts";
import { createAccountServices } from "./account-services.ts";

const SECOND = 1_000;

async function scene(t: TestContext) {
  const ports = await createAccountServices(t, "guest", "owner");
  const [guest, owner] = await ports.accounts();
  assert.ok(guest && owner);
  const guard = createAuthenticateToken(
    ports.tokens,
    createSessionCache(ports.credentialCache),
    ports.clock,
    {
      store: ports.store.sessions,
      pendingSignOuts: NO_SIGN_OUTS,
    },
  );
  return {
    ...ports,
    guest: guest.id,
    owner: owner.id,
    /** The user of the token, read from the store again. */
    async whose(token: string) {
      for (const id of [guest.id, owner.id]) ports.credentialCache.forget(id);
      return getAdmittedUser(await guard(token))?.username;
    },
    /** As a sign-in does it. */
    async issue(id: UserId) {
      return ports.tokens.issue(id, (await ports.store.users.find(id))?.sessionsFrom).text;
    },
  };
}

test("ends every session of the account only, or of all, and records an entry", async (t) => {
  const ports = await scene(t);
  const { guest, owner, clock, issue, whose } = ports;
  const old = await issue(owner);
  clock.advance(86_400 * SECOND);
  const [fresh, other] = [await issue(owner), await issue(guest)];
  assert.equal(await whose(old), "owner");
  assert.equal(await endUserSessions(ports, await ports.idOf("owner")), "ended");
  const users = await Promise.all([old, fresh, other].map(whose));
  assert.deepEqual(users, [undefined, undefined, "guest"]);
  assert.deepEqual(ports.recorded, [
    createAuditEvent("user_sign_out", { user: { id: owner, username: "owner" } }),
  ]);
  const stored = (await ports.accounts()).map(({ sessionsFrom }) => sessionsFrom);
  assert.deepEqual(stored, [undefined, clock.now() / SECOND + 1]);
  assert.equal(await endAllSessions(ports), 2);
  assert.equal(await whose(other), undefined);
  assert.equal(await whose(await issue(guest)), "guest");
  assert.deepEqual(ports.recorded.slice(1), [createAuditEvent("user_sign_out_all", {})]);
});

for (const [ahead, user] of [
  [120, undefined],
  [121, "owner"],
] as const) {
  test(`a session dated ${ahead} s ahead elsewhere ${user ? "stays" : "ends"}`, async (t) => {
    const ports = await scene(t);
    const { clock, owner, whose } = ports;
    const fast = createSessionTokens(SECRET, { now: () => clock.now() + ahead * SECOND });
    const token = fast.issue(owner).text;
    assert.equal(await whose(token), "owner");
    await endUserSessions(ports, await ports.idOf("owner"));
    assert.equal(await whose(token), user);
  });
}

test("accepts a sign-in right after the end, whatever the clocks of both instances", async (t) => {
  const ports = await scene(t);
  const { clock, owner, store, whose } = ports;
  for (const endAhead of [0, 90, -90]) {
    await endUserSessions(
      { ...ports, clock: { now: () => clock.now() + endAhead * SECOND } },
      owner,
    );
    const user = await store.users.find(owner);
    for (const ahead of [0, 90, -90]) {
      const issuer = createSessionTokens(SECRET, { now: () => clock.now() + ahead * SECOND });
      const token = issuer.issue(owner, user?.sessionsFrom).text;
      assert.equal(await whose(token), "owner", `${endAhead} ${ahead}`);
      const { claims } = partsOf(token);
      assert.equal(claims.iat, clock.now() / SECOND + ahead, "dated to the issue, and not later");
    }
  }
});

test("ends a session from between two ends of a second, with any clock", async (t) => {
  const ports = await scene(t);
  const { clock, owner, store, issue, whose } = ports;
  await endUserSessions(ports, await ports.idOf("owner"));
  const fast = createSessionTokens(SECRET, { now: () => clock.now() + 90 * SECOND });
  const between = fast.issue(owner, (await store.users.find(owner))?.sessionsFrom).text;
  assert.equal(await whose(between), "owner");
  await endUserSessions(ports, await ports.idOf("owner"));
  assert.deepEqual([await whose(between), await whose(await issue(owner))], [undefined, "owner"]);
});

test("does not revive a session when a machine with a slow clock ends sessions", async (t) => {
  const ports = await scene(t);
  const { clock, owner, issue, whose } = ports;
  const old = await issue(owner);
  clock.advance(10 * SECOND);
  await endUserSessions(ports, await ports.idOf("owner"));
  const behind = { ...ports, clock: { now: () => clock.now() - 60 * SECOND } };
  await endUserSessions(behind, await ports.idOf("owner"));
  assert.equal(await whose(old), undefined);
});

for (const [what, claims] of [
  ["without an iat", {}],
  ["with an iat before 1970", { iat: -1 }],
] as const) {
  test(`accepts a token ${what} until sessions are ended`, async (t) => {
    const ports = await scene(t);
    const exp = ports.clock.now() / SECOND + 3_600;
    const token = mint({ user_id: ports.owner, exp, ...claims });
    assert.equal(await ports.whose(token), "owner");
    await endUserSessions(ports, await ports.idOf("guest"));
    assert.equal(await ports.whose(token), "owner");
    await endUserSessions(ports, await ports.idOf("owner"));
    assert.equal(await ports.whose(token), undefined);
  });
}

test("ends nothing for an account that is removed in the meantime", async (t) => {
  const ports = await scene(t);
  const users = {
    ...ports.store.users,
    async endSessions(...about: Parameters<typeof ports.store.users.endSessions>) {
      await ports.store.users.remove(ports.owner);
      return ports.store.users.endSessions(...about);
    },
  };
  const removing = { ...ports, store: { users } };
  assert.equal(await endUserSessions(removing, ports.owner), "no-user");
  assert.deepEqual(ports.recorded, []);
});
