import assert from "node:assert/strict";
import { type Link, type NewUser, NO_PASSWORD } from "../../../src/db/records.ts";
import type { Store } from "../../../src/db/store.ts";
import type { Rule, With } from "./database.ts";
import { addTo, addTwo, hashText } from "./samples.ts";

const [NOW, LATER] = [new Date(1_000_000), new Date(2_000_000)];
const LINK: Link = {
  ...{ id: "link", tokenHash: "hash", purpose: "guest", name: "visitor", groups: ["a", "b"] },
  ...{ guestSeconds: 60, expiresAt: LATER, usesLeft: 2 },
};
const MAKER = { username: "maker", passwordHash: hashText("of maker"), groups: ["a", "admins"] };

/** Another account, and a link of an administrator, made while `sessionsFrom` was 500. */
async function addMade(store: Store & With<"links">, account: Partial<NewUser> = {}) {
  const other = await addTo(store, "other");
  const maker = await store.users.insert({ ...MAKER, ...account });
  assert.ok(maker);
  await store.users.endSessions(maker.id, 500);
  const link: Link = { ...LINK, madeBy: "maker", makerId: maker.id, makerValidUpTo: 500 };
  await store.links.insert(link);
  return { other, maker, link };
}
const visitor = (username: string, endsAt: Date = LATER): NewUser => ({
  ...{ username, passwordHash: NO_PASSWORD, groups: ["a"], endsAt },
});

type EndOfMaker = (
  store: Store & With<"links">,
  made: Awaited<ReturnType<typeof addMade>>,
) => unknown;

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

  rule("finds a link of an administrator with its maker", async (store, { connect }) => {
    const { link, maker } = await addMade(store);
    const other = await connect();
    assert.deepEqual(await other.links.find("hash", NOW), link);
    assert.deepEqual(await other.links.read("", 9, NOW), [link]);
    await store.users.setGroups(maker.id, ["admins"]);
    assert.equal(typeof (await other.links.use(link, visitor("visitor"), NOW)), "object");
    assert.deepEqual(await other.links.revoke("link", NOW), { ...link, usesLeft: 1 });
  });

  for (const [text, end] of [
    ["is removed", ({ users }, { maker }) => users.remove(maker.id)],
    ["leaves the group", ({ users }, { maker }) => users.setGroups(maker.id, ["admins-too"])],
    ["has no groups any more", ({ users }, { maker }) => users.setGroups(maker.id, [])],
    ["is signed out everywhere", ({ users }, { maker }) => users.endSessions(maker.id, 100)],
    ["is signed out with everybody", ({ users }) => users.endAllSessions(100)],
    ["loses all factors", (store, { maker }) => store.codes.endFactors(maker.id, 100)],
    [
      "gets a password by another link",
      async ({ links }, { maker }) => {
        const reset: Link = {
          ...LINK,
          id: "r",
          tokenHash: "r",
          purpose: "reset",
          userId: maker.id,
        };
        await links.insert(reset);
        await links.use(reset, { ...MAKER, passwordHash: hashText("new") }, NOW);
      },
    ],
  ] satisfies readonly (readonly [string, EndOfMaker])[]) {
    rule(`ends a link for good when its maker ${text}`, async (store, { connect }) => {
      const made = await addMade(store);
      const reset: Link = { ...made.link, id: "reset", tokenHash: "reset", purpose: "reset" };
      await store.links.insert({ ...reset, userId: made.other.id });
      await end(store, made);
      if (await store.users.find(made.maker.id))
        await store.users.setGroups(made.maker.id, ["admins"]);
      const { links } = await connect();
      for (const link of [made.link, { ...reset, userId: made.other.id }]) {
        assert.equal(await links.find(link.tokenHash, NOW), undefined);
        assert.equal(await links.use(link, visitor("visitor"), NOW), "gone");
        assert.equal(await links.revoke(link.id, NOW), undefined);
      }
      assert.deepEqual(await links.read("", 9, NOW), []);
      assert.deepEqual(await store.users.find(made.other.id), {
        ...made.other,
        ...(text === "is signed out with everybody" && { sessionsFrom: 100 }),
      });
      assert.equal(await store.users.findByName("visitor"), undefined);
    });
  }

  for (const [text, account] of [
    ["has ended", { endsAt: NOW }],
    ["is a guest", { passwordHash: NO_PASSWORD, endsAt: LATER }],
    ["is no administrator", { groups: ["admins-too", "the-admins"] }],
    ["has no groups", { groups: [] }],
  ] as const satisfies readonly (readonly [string, Partial<NewUser>])[]) {
    rule(`does not use a link whose maker ${text}`, async (store) => {
      const { link } = await addMade(store, account);
      assert.equal(await store.links.find("hash", NOW), undefined);
      assert.equal(await store.links.use(link, visitor("visitor"), NOW), "gone");
    });
  }

  rule("keeps no link of a user who leaves the group meanwhile", async (store, { race }) => {
    const { maker, link } = await addMade(store);
    const kept = await race(async (one, i) => {
      if (i % 2 === 0) return one.users.setGroups(maker.id, []);
      return one.links.insert({ ...link, id: `new ${i}`, tokenHash: `new ${i}` });
    });
    assert.ok(kept.includes("set"));
    await store.users.setGroups(maker.id, ["admins"]);
    assert.deepEqual(await store.links.read("", 9, NOW), []);
    assert.equal(await store.links.insert({ ...link, id: "later", tokenHash: "later" }), true);
    assert.equal(
      await store.links.insert({ ...link, id: "x", tokenHash: "x", makerValidUpTo: 499 }),
      false,
    );
  });

  rule("does not use a link that names its maker without the ID", async (store) => {
    const { maker } = await addMade(store);
    const link: Link = { ...LINK, id: "old", tokenHash: "old", madeBy: maker.username };
    const unbound: Link = { ...link, id: "new", tokenHash: "new", makerId: maker.id };
    for (const one of [link, unbound]) {
      assert.equal(await store.links.insert(one), one === link);
      assert.equal(await store.links.find(one.tokenHash, NOW), undefined);
      assert.equal(await store.links.use(one, visitor("visitor"), NOW), "gone");
    }
  });

  rule(
    "uses no link of two administrators who reset each other after one was",
    async (store, { race }) => {
      const { maker, link } = await addMade(store);
      const second = await store.users.insert({ ...MAKER, username: "second" });
      assert.ok(second);
      const made = { purpose: "reset", usesLeft: 9, makerValidUpTo: 500 } as const;
      const ofMaker: Link = { ...link, ...made, id: "1", tokenHash: "1", userId: second.id };
      const links = [
        ofMaker,
        { ...ofMaker, id: "2", tokenHash: "2", userId: maker.id, makerId: second.id },
      ];
      for (const one of links) await store.links.insert(one);
      const used = await race(async (one, i) => {
        const account = { username: "", passwordHash: hashText(`by ${i}`) };
        return one.links.use(links[i % 2] ?? link, account, NOW);
      });
      assert.equal(used.filter((one) => typeof one === "object").length, 1);
      for (const { tokenHash } of links)
        assert.equal(await store.links.find(tokenHash, NOW), undefined);
    },
  );

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
