import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { NO_PASSWORD, type UserId } from "../../../src/db/records.ts";
import { makeLink, type WantedLink } from "../../../src/features/links/make-link.ts";
import { findLink, removeEndedLinks, useLink } from "../../../src/features/links/use-link.ts";
import { changePassword } from "../../../src/features/password/change-password.ts";
import { resetPassword } from "../../../src/features/people/accounts.ts";
import {
  createAuthenticateToken,
  createSessionCache,
} from "../../../src/identity/authenticate-session.ts";
import { createCredentialCache } from "../../../src/identity/credential-cache.ts";
import type { Client } from "../../../src/lib/client.ts";
import { NO_SIGN_OUTS } from "../../support/core-services.ts";
import { createAccountServices } from "../people/account-services.ts";

const PASSWORD = "battery staple";
const BOB = { username: "bob", password: PASSWORD, confirm: PASSWORD };
const EMPTY = { username: "", password: "", confirm: "" };
const CLIENT = { remoteAddress: "192.0.2.1", userAgent: "curl/8" };
const OTHER = { remoteAddress: "198.51.100.1" };
const MINUTE_MS = 60_000;

/** An owner, and links that can be used for a minute. */
async function scene(t: TestContext) {
  const ports = await createAccountServices(t, "owner");
  return {
    ports,
    owner: await ports.idOf("owner"),
    at: (ms: number) => new Date(ports.clock.now() + ms),
    async link(wanted: Omit<WantedLink, "usesLeft" | "expiresAt">, usesLeft = 1) {
      const expiresAt = new Date(ports.clock.now() + MINUTE_MS);
      const made = await makeLink(ports, { usesLeft, expiresAt, ...wanted });
      assert.ok(made.kind === "made");
      return made;
    },
    find: (token: string) => findLink(ports, token),
    use: (token: string, form = BOB, client: Client = CLIENT) =>
      useLink(ports, token, form, client),
    async stored(id: UserId | undefined) {
      const { passwordHash = "", ...user } = (id && (await ports.store.users.find(id))) ?? {};
      return { user, hash: passwordHash };
    },
  };
}

const GONE = { kind: "gone" };

test("an invitation opens until it is used, and signs its account in", async (t) => {
  const { ports, at, link, find, use, stored } = await scene(t);
  const facts = { groups: ["family"], endsAt: at(2 * MINUTE_MS) };
  const open = await link({ purpose: "invite", ...facts });
  for (let n = 0; n < 2; n += 1)
    assert.deepEqual(await find(open.token), { link: open.link, username: undefined, apps: [] });
  const entered = await use(open.token);
  assert.ok(entered.kind === "entered");
  const { user, token } = entered;
  assert.deepEqual(user, { id: user.id, username: "bob", groups: ["family"] });
  const { user: account, hash } = await stored(user.id);
  assert.deepEqual(account, { id: user.id, username: "bob", ...facts });
  assert.equal(await ports.passwords.verify(PASSWORD, hash as never), true);
  assert.partialDeepStrictEqual(ports.tokens.verify(token.text), { userId: user.id });
  assert.deepEqual([await find(open.token), await use(open.token)], [undefined, GONE]);
  await ports.events.close();
  const [{ type, subject, address, device } = {}] = await ports.store.log.newest({ limit: 1 });
  assert.deepEqual([type, subject, address, device], ["link_use", "bob", "192.0.2.1", "curl"]);
});

test("a username that the link settles comes before the form's", async (t) => {
  const { ports, link, use } = await scene(t);
  const { token } = await link({ purpose: "invite", name: "ann" });
  assert.equal((await use(token, { ...BOB, username: "owner" })).kind, "entered");
  const accounts = (await ports.accounts()).map(({ username, groups }) => [username, groups]);
  assert.deepEqual(accounts, [
    ["ann", undefined],
    ["owner", undefined],
  ]);
});

test("an invitation makes no account that has ended already", async (t) => {
  const { ports, at, link, find, use } = await scene(t);
  const { token } = await link({ purpose: "invite", endsAt: at(1_000) });
  ports.clock.advance(1_000);
  assert.deepEqual([await find(token), await use(token)], [undefined, GONE]);
  assert.equal(await ports.store.users.findByName("bob"), undefined);
});

test("guests need no password, and leave in time or with the link", async (t) => {
  const { ports, at, link, use, stored } = await scene(t);
  const groups = ["photos"];
  for (const [guestSeconds, leaves] of [
    [undefined, at(MINUTE_MS)],
    [300, at(5 * MINUTE_MS)],
  ] as const) {
    const name = `party ${guestSeconds}`;
    const wanted = { purpose: "guest", name, groups, endsAt: at(1_000) } as const;
    const { token } = await link({ ...wanted, ...(guestSeconds && { guestSeconds }) }, 2);
    const [first, second] = [await use(token, EMPTY), await use(token, EMPTY)];
    assert.ok(first.kind === "entered" && second.kind === "entered");
    assert.equal(first.user.username, name);
    assert.match(second.user.username, new RegExp(`^${name} [0-9a-f]{8}$`));
    for (const { user } of [first, second]) {
      assert.deepEqual([user.groups, user.guest], [groups, true]);
      const { user: account, hash } = await stored(user.id);
      const { id, username } = user;
      assert.deepEqual([account, hash], [{ id, username, groups, endsAt: leaves }, NO_PASSWORD]);
    }
    assert.deepEqual(await use(token, EMPTY), GONE);
  }
  ports.clock.advance(MINUTE_MS);
  await removeEndedLinks(ports);
  const removed = (await ports.writtenEntries()).filter((text) => text.startsWith("user_remove"));
  assert.match(removed.sort().join("\n"), /^.* party undefined\n.* party undefined [0-9a-f]{8}$/);
});

test("a reset sets the password of its user only, and opens no session", async (t) => {
  const { ports, owner, link, find, stored } = await scene(t);
  const { token } = await link({ purpose: "reset", userId: owner });
  await ports.store.users.rename(owner, "me");
  assert.equal((await find(token))?.username, "me");
  // Of a store that reports no changes, so that the rule has to forget whom it changes.
  const credentialCache = createCredentialCache(ports.store, ports.clock);
  const guard = createAuthenticateToken(
    ports.tokens,
    createSessionCache(credentialCache),
    ports.clock,
    {
      store: ports.store.sessions,
      pendingSignOuts: NO_SIGN_OUTS,
    },
  );
  const session = ports.tokens.issue(owner).text;
  assert.equal((await guard(session)).kind, "admitted");
  const outcome = await useLink({ ...ports, credentialCache }, token, BOB, CLIENT);
  assert.deepEqual(outcome, { kind: "password-reset" });
  const { user, hash } = await stored(owner);
  const sessionsFrom = ports.clock.now() / 1_000 + 1;
  assert.deepEqual(user, { id: owner, username: "me", sessionsFrom });
  assert.equal(await ports.passwords.verify(PASSWORD, hash as never), true);
  assert.equal((await guard(session)).kind, "needs-sign-in", "guards read the account again");
});

test("a link for a new password ends when the password is set in another way", async (t) => {
  const { ports, owner, link, find } = await scene(t);
  const next = { newPassword: "a new one", confirmPassword: "a new one" };
  for (const [set, outcome] of [
    [() => resetPassword(ports, owner, PASSWORD), "reset"],
    [
      async () =>
        (await changePassword(ports, owner, { currentPassword: PASSWORD, ...next }, CLIENT)).kind,
      "changed",
    ],
  ] as const) {
    const { token } = await link({ purpose: "reset", userId: owner });
    assert.ok(await find(token));
    assert.equal(await set(), outcome);
    assert.equal(await find(token), undefined, outcome);
  }
});

test("a link whose user is removed, or that another request uses first, is gone", async (t) => {
  const { ports, owner, link, find, use } = await scene(t);
  const { token } = await link({ purpose: "reset", userId: owner });
  t.mock.method(ports.store.users, "findActive", async () => undefined);
  assert.equal(await find(token), undefined);
  const raced = await link({ purpose: "invite" });
  t.mock.method(ports.store.links, "use", async () => "gone" as const);
  assert.deepEqual(await use(raced.token), GONE);
  assert.deepEqual(await ports.writtenEntries(), []);
});

test("uses no link for an address that has tried too many, and shows it to all", async (t) => {
  const { ports, link, find, use } = await scene(t);
  const { token } = await link({ purpose: "invite" });
  while ((await ports.linkLimiter.attempt(CLIENT.remoteAddress)) !== "denied");
  assert.deepEqual(await use(token), GONE);
  assert.ok(await find(token));
  assert.ok((await use(token, BOB, OTHER)).kind === "entered");
});

test("only logs that ended guests cannot be removed", async (t) => {
  const { ports } = await scene(t);
  t.mock.method(ports.store.links, "removeEnded", () => Promise.reject(new Error("disk full")));
  await removeEndedLinks(ports);
  const message = "cannot remove guests whose time has ended";
  assert.deepEqual(ports.log.lines, [{ level: "warn", message, fields: { reason: "disk full" } }]);
});
