import assert from "node:assert/strict";
import { type Link, NO_PASSWORD, type UserId } from "../core/records.ts";
import { type Rule, race, type With } from "./database.ts";
import { add, addTwo, hashText } from "./samples.ts";

type Tested = With<"links">;

const NOW = new Date(1_000_000);
const LATER = new Date(2_000_000);
const LINK: Link = {
  id: "link",
  tokenHash: "hash of the token",
  purpose: "guest",
  name: "visitor",
  groups: ["family", "photos"],
  guestSeconds: 60,
  madeBy: "owner",
  expiresAt: LATER,
  usesLeft: 2,
};
const visitor = (username: string, endsAt: Date = LATER) => ({
  username,
  passwordHash: NO_PASSWORD,
  groups: ["family"],
  endsAt,
});

/** One-time links. */
export function testLinks(rule: Rule<Tested>): void {
  rule("finds a link by the hash of its token until it expires", async (store, database) => {
    await store.links.insert(LINK);
    const other = await database.connect();
    assert.deepEqual(await other.links.find(LINK.tokenHash, NOW), LINK);
    assert.deepEqual(await other.links.read("", 9, NOW), [LINK]);
    assert.equal(await store.links.find(LINK.tokenHash, LATER), undefined);
    assert.deepEqual(await store.links.read("", 9, LATER), []);
    assert.equal(await store.links.find("link", NOW), undefined, "an ID is not a token");
  });

  rule("makes as many accounts as a link has uses, of eight at once", async (store, database) => {
    await store.links.insert(LINK);
    const answers = await race(database, 1, (one, i) =>
      one.links.useForAccount(LINK.id, visitor(`visitor ${i}`), NOW),
    );
    const made = answers.filter((one) => typeof one === "object");
    assert.equal(made.length, 2);
    assert.equal(answers.filter((one) => one === "gone").length, 6);
    const users = await store.users.read("", 9);
    assert.deepEqual(
      users.map(({ id }) => id).sort(),
      made.map(({ id }) => id).sort(),
      "an account for each use, and no other",
    );
    assert.deepEqual(users[0] && { ...users[0], id: "", username: "" }, {
      ...{ ...visitor(""), id: "" },
    });
    assert.deepEqual(made[0] && [made[0].guest, made[0].groups], [true, ["family"]]);
    assert.equal(await store.links.find(LINK.tokenHash, NOW), undefined);
    assert.equal(await store.links.revoke(LINK.id, NOW), undefined, "it is used up");
  });

  rule("uses up nothing for a taken username, nor after the link expired", async (store) => {
    await add(store, "owner");
    await store.links.insert({ ...LINK, usesLeft: 1 });
    const use = (username: string, at = NOW) =>
      store.links.useForAccount(LINK.id, visitor(username), at);
    assert.equal(await use("owner"), "taken");
    assert.equal(await use("visitor", LATER), "gone");
    assert.equal(typeof (await use("visitor")), "object");
    assert.equal(await use("another"), "gone");
  });

  rule("sets a password once, of eight at once, and ends the sessions", async (store, database) => {
    const { owner, guest } = await addTwo(store);
    await store.users.endSessions(owner.id, 9_000);
    await store.links.insert({ ...LINK, purpose: "reset", userId: owner.id, usesLeft: 1 });
    const answers = await race(database, 1, (one, i) =>
      one.links.useForPassword(LINK.id, { hash: hashText(`by ${i}`), endBefore: 1_000 }, NOW),
    );
    assert.equal(answers.filter((one) => one !== "gone").length, 1);
    const winner = answers.findIndex((one) => one !== "gone");
    const changed = { ...owner, passwordHash: hashText(`by ${winner}`), sessionsFrom: 9_001 };
    assert.deepEqual(await store.users.find(owner.id), changed);
    assert.deepEqual(await store.users.find(guest.id), guest);
  });

  rule("removes the link for the password of a removed account", async (store) => {
    const { guest } = await addTwo(store);
    await store.links.insert({ ...LINK, purpose: "reset", userId: guest.id });
    await store.users.remove(guest.id);
    assert.equal(await store.links.find(LINK.tokenHash, NOW), undefined);
  });

  rule("revokes a link once, of eight at once", async (store, database) => {
    await store.links.insert(LINK);
    const answers = await race(database, 1, (one) => one.links.revoke(LINK.id, NOW));
    assert.deepEqual(
      answers.filter((one) => one !== undefined),
      [LINK],
    );
    assert.equal(await store.links.useForAccount(LINK.id, visitor("visitor"), NOW), "gone");
  });

  rule("removes guests who have ended, and expired links", async (store) => {
    const ended = await store.users.insert(visitor("ended", NOW));
    assert.deepEqual(await store.links.removeEnded(NOW), [], "no account would be left");
    const owner = await add(store, "owner");
    await store.users.insert(visitor("visitor"));
    await store.users.insert({ ...visitor("temp", NOW), passwordHash: hashText("x") });
    await store.links.insert({ ...LINK, expiresAt: NOW });
    await store.links.insert({ ...LINK, id: "other", tokenHash: "other" });
    assert.deepEqual(await store.links.removeEnded(NOW), [ended]);
    const names = (await store.users.read("", 9)).map(({ username }) => username);
    assert.deepEqual(names.sort(), ["owner", "temp", "visitor"]);
    assert.deepEqual(
      (await store.links.read("", 9, new Date(0))).map(({ id }) => id),
      ["other"],
    );
    assert.equal(await store.users.remove(owner.id), "last", "all others have an end");
    assert.equal(await store.users.remove("unknown" as UserId), "missing");
  });
}
