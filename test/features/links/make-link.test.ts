import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAuditEvent } from "../../../src/audit/events.ts";
import { type Link, NO_PASSWORD, type StoredUser, toPublicUser } from "../../../src/db/records.ts";
import { type LinkMaker, makeLink, revokeLink } from "../../../src/features/links/make-link.ts";
import { digestText } from "../../../src/lib/random-text.ts";
import { hashText } from "../../support/store.ts";
import { createAccountServices } from "../people/account-services.ts";

/** An owner, a guest, an account that has ended, and the links that can be used. */
async function scene(t: TestContext) {
  const ports = await createAccountServices(t, "owner");
  const endsAt = new Date(ports.clock.now());
  await ports.store.users.insert({ username: "guest", passwordHash: NO_PASSWORD });
  await ports.store.users.insert({ username: "ended", passwordHash: hashText("x"), endsAt });
  const links = () => ports.store.links.read("", 9, endsAt);
  return { ports, links, expiresAt: new Date(ports.clock.now() + 1) };
}

const groups = ["photos"];

test("makes no link that nobody could use, or for a user without a password", async (t) => {
  const { ports, links, expiresAt } = await scene(t);
  for (const [kind, wanted, username] of [
    ["groups-invalid", { purpose: "invite", groups: ["no spaces"] }],
    ["label-missing", { purpose: "guest", groups }],
    ["label-missing", { purpose: "guest", groups, name: "" }],
    ["groups-missing", { purpose: "guest", name: "party" }],
    ["groups-missing", { purpose: "guest", name: "party", groups: [""] }],
    ["username-taken", { purpose: "invite", name: "owner" }],
    ["no-user", { purpose: "reset" }],
    ["no-user", { purpose: "reset" }, "unknown"],
    ["no-user", { purpose: "reset" }, "guest"],
    ["no-user", { purpose: "reset-codes-off" }, "ended"],
  ] as const) {
    const userId = username && { userId: String(await ports.idOf(username)) };
    const link = { ...wanted, ...userId, usesLeft: 1, expiresAt };
    assert.deepEqual(await makeLink(ports, link), { kind }, JSON.stringify(link));
  }
  assert.deepEqual([await links(), ports.recorded], [[], []]);
  const none = await createAccountServices(t);
  const first = { purpose: "invite", usesLeft: 1, expiresAt } as const;
  assert.deepEqual(await makeLink(none, first), { kind: "no-account" });
});

test("keeps what was wanted with the hash of the token, and logs it once", async (t) => {
  const { ports, links, expiresAt } = await scene(t);
  const [owner] = (await ports.accounts()).filter(({ username }) => username === "owner");
  assert.ok(owner);
  for (const [wanted, text, settled] of [
    [{ purpose: "invite" }, "invite", {}],
    [{ purpose: "invite", name: "bob", endsAt: expiresAt }, "invite bob", {}],
    [{ purpose: "invite", groups: ["b", "", "a", "b"] }, "invite", { groups: ["a", "b"] }],
    [{ purpose: "guest", name: "owner", groups, guestSeconds: 60 }, "guest owner", {}],
    [{ purpose: "reset", userId: owner.id }, "reset owner", { name: "owner" }],
    [{ purpose: "reset-codes-off", userId: owner.id }, "reset-codes-off owner", { name: "owner" }],
  ] as const) {
    const made = await makeLink(ports, { ...wanted, usesLeft: 2, expiresAt });
    assert.ok(made.kind === "made");
    const { id } = made.link;
    assert.match(id, /^[0-9a-f]{16}$/);
    const ids = { id, tokenHash: digestText(made.token), usesLeft: 2, expiresAt };
    assert.deepEqual([made.link], [{ ...wanted, ...ids, ...settled }]);
    assert.deepEqual(await links(), [made.link]);
    assert.equal(await revokeLink(ports, id), "revoked");
    assert.equal(await revokeLink(ports, id), "no-link");
    assert.deepEqual(ports.recorded.slice(-2), [
      createAuditEvent("link_make", {
        ...("name" in settled && { user: toPublicUser(owner) }),
        name: `${id} ${text}`,
      }),
      createAuditEvent("link_revoke", { name: `${id} ${text}` }),
    ]);
  }
  assert.deepEqual([await links(), ports.recorded.length], [[], 12]);
});

test("makes no link for an account that is removed in the meantime", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const [guest, owner] = [await ports.idOf("guest"), await ports.idOf("owner")];
  t.mock.method(ports.store.links, "insert", async () => {
    await ports.store.users.remove(guest);
    throw new Error("refused");
  });
  const facts = { purpose: "reset", expiresAt: new Date(0), usesLeft: 1 } as const;
  assert.deepEqual(await makeLink(ports, { ...facts, userId: guest }), { kind: "no-user" });
  await assert.rejects(makeLink(ports, { ...facts, userId: owner }), /refused/);
  assert.deepEqual(ports.recorded, []);
});

test("a link works no longer than the session of its maker could", async (t) => {
  const ports = await createAccountServices(t);
  const passwordHash = hashText("of maker");
  const admin = { username: "maker", passwordHash, groups: ["admins"] };
  const user = await ports.store.users.insert(admin);
  assert.ok(user);
  const wanted = { purpose: "invite", usesLeft: 1 } as const;
  const expiresAt = new Date(ports.clock.now() + 1);
  const make = async (session: LinkMaker["session"]) => {
    const made = await makeLink(ports, { ...wanted, expiresAt }, { user, session });
    return made.kind === "made" ? made.link : undefined;
  };
  const isOpen = async (link: Link | undefined) =>
    link !== undefined &&
    (await ports.store.links.find(link.tokenHash, new Date(ports.clock.now()))) !== undefined;
  const second = Math.floor(ports.clock.now() / 1_000);
  const issuedAt = second * 1_000 + 500;
  const link = await make({ issuedAt, sessionsFrom: 0 });
  const { madeBy, makerId, makerValidUpTo } = link ?? {};
  assert.deepEqual([madeBy, makerId], ["maker", user.id]);
  assert.equal(makerValidUpTo, second - 120);
  assert.equal(await isOpen(link), true);

  const ended = await ports.store.users.endSessions(user.id, second);
  assert.ok(ended);
  assert.equal(await isOpen(link), false);
  // A guard that has not noticed it yet can still admit the session.
  assert.equal(await make({ issuedAt, sessionsFrom: 0 }), undefined);
  assert.equal(await isOpen(await make({ issuedAt, sessionsFrom: ended.sessionsFrom })), true);
  for (const forged of [{ madeBy: "maker" }, { makerId: user.id }, { makerValidUpTo: 1e12 }]) {
    const link = { ...wanted, expiresAt, ...forged };
    await assert.rejects(makeLink(ports, link as never), { code: "invalid_option" });
  }
});

test("makes no link of an administrator who is removed in the meantime", async (t) => {
  const ports = await createAccountServices(t, "owner");
  const user = toPublicUser({ ...(await ports.accounts())[0], id: "unknown" } as StoredUser);
  const session = { issuedAt: ports.clock.now(), sessionsFrom: 0 };
  const expiresAt = new Date(ports.clock.now() + 1);
  for (const wanted of [
    { purpose: "invite" },
    { purpose: "reset", userId: await ports.idOf("owner") },
  ] as const) {
    const made = makeLink(ports, { ...wanted, usesLeft: 1, expiresAt }, { user, session });
    assert.deepEqual(await made, { kind: "no-user" });
  }
});
