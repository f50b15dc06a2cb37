import assert from "node:assert/strict";
import { type Link, type NewUser, NO_PASSWORD } from "../core/records.ts";
import type { Rule, With } from "./database.ts";
import { addTo, addTwo, hashText } from "./samples.ts";

const [NOW, LATER] = [new Date(1_000_000), new Date(2_000_000)];
const LINK: Link = {
  ...{ id: "link", tokenHash: "hash", purpose: "guest", name: "visitor", groups: ["a", "b"] },
  ...{ guestSeconds: 60, madeBy: "owner", expiresAt: LATER, usesLeft: 2 },
};
const visitor = (username: string, endsAt: Date = LATER): NewUser => ({
  ...{ username, passwordHash: NO_PASSWORD, groups: ["a"], endsAt },
});

/** One-time links. */
export function testLinks(rule: Rule<With<"links">>): void {
  rule("finds a link by the hash of its token until it expires", async (store, { connect }) => {
    await store.links.insert(LINK);
    const other = await connect();
    assert.deepEqual(await other.links.find("hash", NOW), LINK);
    assert.deepEqual(await other.links.read("", 9, NOW), [LINK]);
    assert.equal(await store.links.find("hash", LATER), undefined);
    assert.deepEqual(await store.links.read("", 9, LATER), []);
    assert.equal(await store.links.use(LINK, visitor("late"), LATER), "gone");
    assert.equal(await store.links.find("link", NOW), undefined, "an ID is not a token");
  });

  rule("makes two accounts for two uses, of eight at once", async (store, { race }) => {
    await store.links.insert(LINK);
    const answers = await race((one, i) => one.links.use(LINK, visitor(`visitor ${i}`), NOW));
    const made = answers.filter((one) => typeof one === "object");
    assert.deepEqual([made.length, answers.filter((one) => one === "gone").length], [2, 6]);
    for (const { id, username, guest, groups } of made) {
      assert.deepEqual([guest, groups], [true, ["a"]]);
      assert.deepEqual(await store.users.find(id), { id, ...visitor(username) });
    }
    assert.equal((await store.users.read("", 9)).length, 2);
    assert.equal(await store.links.find("hash", NOW), undefined);
    assert.equal(await store.links.revoke("link", NOW), undefined, "it is used up");
  });

  rule("uses up nothing for a taken username", async (store) => {
    await addTo(store, "owner");
    await store.links.insert({ ...LINK, usesLeft: 1 });
    assert.equal(await store.links.use(LINK, visitor("owner"), NOW), "taken");
    assert.equal(typeof (await store.links.use(LINK, visitor("visitor"), NOW)), "object");
    assert.equal(await store.links.use(LINK, visitor("another"), NOW), "gone");
  });

  rule("sets a password by one of two links, and ends the sessions", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    await store.users.endSessions(owner.id, 9_000);
    const link: Link = { ...LINK, purpose: "reset", userId: owner.id, usesLeft: 1 };
    const other: Link = { ...link, id: "other", tokenHash: "other" };
    const kept: Link = { ...link, id: "kept", tokenHash: "kept", userId: guest.id };
    for (const one of [link, other, kept]) await store.links.insert(one);
    const passwordHash = await onlyOne(async (one, i) => {
      const account = { username: "", passwordHash: hashText(`by ${i}`) };
      const used = await one.links.use(i % 2 === 0 ? link : other, account, NOW);
      return used !== "gone" && account.passwordHash;
    });
    assert.deepEqual(await store.links.read("", 9, NOW), [kept]);
    const changed = { ...owner, passwordHash, sessionsFrom: 9_001 };
    assert.deepEqual(await store.users.find(owner.id), changed);
    assert.deepEqual(await store.users.find(guest.id), guest);
  });

  rule("revokes a link once, and removes that of a removed account", async (store, { onlyOne }) => {
    const { guest } = await addTwo(store);
    await store.links.insert({ ...LINK, userId: guest.id });
    const revoked = await onlyOne((one) => one.links.revoke("link", NOW));
    assert.deepEqual(revoked, { ...LINK, userId: guest.id });
    assert.equal(await store.links.use(LINK, visitor("visitor"), NOW), "gone");
    await store.links.insert({ ...LINK, userId: guest.id });
    await store.users.remove(guest.id);
    assert.equal(await store.links.find("hash", NOW), undefined);
  });

  rule("removes the links of a user whose password is changed", async (store) => {
    const { owner, guest } = await addTwo(store);
    const link: Link = { ...LINK, userId: owner.id };
    const kept: Link = { ...LINK, id: "kept", tokenHash: "kept", userId: guest.id };
    for (const one of [link, kept]) await store.links.insert(one);
    const [hash, other] = [owner.passwordHash, hashText("other")];
    assert.equal(await store.users.replaceHash(owner.id, hash, other, "links"), true);
    assert.equal(await store.users.replaceHash(owner.id, hash, other), false);
    assert.deepEqual(await store.links.find("hash", NOW), link, "it is the same password");
    assert.equal(await store.users.replaceHash(owner.id, other, hash), true);
    assert.deepEqual(await store.links.read("", 9, NOW), [kept]);
  });

  rule("removes expired links, and guests who have ended", async (store) => {
    const ended = await store.users.insert(visitor("ended", NOW));
    assert.deepEqual(await store.links.removeEnded(NOW), [], "no account would be left");
    const owner = await addTo(store, "owner");
    await store.users.insert(visitor("visitor"));
    await store.users.insert({ ...visitor("temp", NOW), passwordHash: hashText("x") });
    await store.links.insert({ ...LINK, expiresAt: NOW });
    assert.deepEqual(await store.links.removeEnded(NOW), [ended]);
    const names = (await store.users.read("", 9)).map(({ username }) => username);
    assert.deepEqual(names.sort(), ["owner", "temp", "visitor"]);
    assert.deepEqual(await store.links.read("", 9, new Date(0)), []);
    assert.equal(await store.users.remove(owner.id), "last", "all others end");
  });
}
