import assert from "node:assert/strict";
import type { Delivery, Link, UserId } from "../../../src/db/records.ts";
import { COMPETITORS, type Rule, type With } from "./database.ts";
import { addTo, addTwo, at, hashText, TEXT } from "./samples.ts";

const deliveryOf = (id: string, fields: Partial<Delivery> = {}): Delivery => ({
  ...{ id, kind: "mail", content: TEXT, createdAt: at(0), dueAt: at(1), tries: 0 },
  ...{ expiresAt: at(99), ...fields },
});

const linkOf = (userId: UserId, id: string, purpose: Link["purpose"]): Link => ({
  ...{ id, tokenHash: `hash of ${id}`, purpose, userId, email: "ada@example.org" },
  ...{ expiresAt: at(24), usesLeft: 1 },
});

const idsOf = (all: readonly Delivery[]): string =>
  all
    .map(({ id }) => id)
    .toSorted()
    .join("");

/** What is sent in the background. */
export function testOutbox(rule: Rule<With<"outbox" | "links" | "profiles" | "users">>): void {
  rule("stores a delivery once, with its link", async (store, { connect }) => {
    const { owner } = await addTwo(store);
    await store.outbox.insert(
      deliveryOf("a", { userId: owner.id }),
      linkOf(owner.id, "1", "reset"),
    );
    // The first is stored already, so the link of the second belongs to no message.
    await store.outbox.insert(deliveryOf("a", { tries: 9 }), linkOf(owner.id, "2", "reset"));
    const { outbox, links } = await connect();
    assert.deepEqual(await outbox.claimDue(at(1), at(2), 9), [
      deliveryOf("a", { userId: owner.id }),
    ]);
    assert.ok(await links.find("hash of 1", at(0)));
    assert.equal(await links.find("hash of 2", at(0)), undefined);
  });

  rule("an account has one link to confirm an address", async (store) => {
    const { owner, guest } = await addTwo(store);
    const add = (id: string, userId: UserId, purpose: Link["purpose"]) =>
      store.outbox.insert(deliveryOf(id), linkOf(userId, id, purpose));
    await add("a", owner.id, "confirm-email");
    await add("b", owner.id, "reset");
    await add("c", guest.id, "confirm-email");
    await add("d", owner.id, "confirm-email");
    const found = await Promise.all(
      ["a", "b", "c", "d"].map((id) => store.links.find(`hash of ${id}`, at(0))),
    );
    assert.deepEqual(
      found.map((link) => link?.id),
      [undefined, "b", "c", "d"],
    );
  });

  rule(
    "gives each delivery that is due to one caller, once in each lease",
    async (store, { race }) => {
      for (const id of "abcdefghijklmno") await store.outbox.insert(deliveryOf(id));
      await store.outbox.insert(deliveryOf("z", { dueAt: at(5) }));
      const claimed = await race(({ outbox }) => outbox.claimDue(at(1), at(2), 3));
      assert.ok(claimed.every((some) => some.length <= 3));
      assert.equal(idsOf(claimed.flat()), "abcdefghijklmno");
      assert.equal(claimed.length, COMPETITORS);
      assert.deepEqual(await store.outbox.claimDue(at(1.99), at(3), 99), [], "before the time");
      assert.equal(idsOf(await store.outbox.claimDue(at(2), at(3), 99)), "abcdefghijklmno");
      assert.equal(idsOf(await store.outbox.claimDue(at(9), at(10), 99)), "abcdefghijklmnoz");
    },
  );

  rule("keeps the content until nothing more is sent", async (store) => {
    await store.outbox.insert(deliveryOf("a"));
    await store.outbox.insert(deliveryOf("b"));
    await store.outbox.note("a", { tries: 1, dueAt: at(3), problem: TEXT });
    await store.outbox.note("b", { tries: 1, sentAt: at(2) });
    assert.deepEqual(await store.outbox.claimDue(at(9), at(10), 9), [
      deliveryOf("a", { tries: 1, dueAt: at(3), problem: TEXT }),
    ]);
    assert.deepEqual(await store.outbox.readState(), { waiting: 1, oldest: at(0) });
    await store.outbox.note("a", { tries: 2, problem: "gone" });
    assert.deepEqual(await store.outbox.readState(), { waiting: 0, oldest: undefined });
    assert.deepEqual(await store.outbox.claimDue(at(98), at(99), 9), []);
  });

  rule("replaces work by its message once, also at the same moment", async (store, { race }) => {
    const { owner } = await addTwo(store);
    await store.outbox.insert(deliveryOf("work", { kind: "new-password" }));
    let number = 0;
    const outcomes = await race(({ outbox }) => {
      number += 1;
      const id = `m${number}`;
      return outbox.replace("work", deliveryOf(id), linkOf(owner.id, id, "reset"), 3);
    });
    assert.equal(outcomes.filter((outcome) => outcome === "replaced").length, 1);
    const due = await store.outbox.claimDue(at(1), at(2), 99);
    assert.equal(due.length, 1);
  });

  rule(
    "an account gets three links for a new password, also at the same moment",
    async (store, { race }) => {
      const { owner, guest } = await addTwo(store);
      let number = 0;
      const ask = async ({ outbox }: With<"outbox">, userId: UserId, hours: number) => {
        number += 1;
        const [work, id] = [`work${number}`, `message${number}`];
        await outbox.insert(deliveryOf(work, { kind: "new-password" }));
        const message = deliveryOf(id, { createdAt: at(hours) });
        const link = { ...linkOf(userId, work, "reset"), expiresAt: at(hours + 24) };
        return outbox.replace(work, message, link, 3);
      };
      const outcomes = await race((other) => ask(other, owner.id, 0));
      assert.deepEqual(outcomes.toSorted(), [
        ...["replaced", "replaced", "replaced"],
        ...["too-many", "too-many", "too-many", "too-many", "too-many"],
      ]);
      assert.equal(await ask(store, guest.id, 0), "replaced", "another account");
      assert.equal(await ask(store, owner.id, 23), "too-many");
      assert.equal(await ask(store, owner.id, 24), "replaced", "the others have expired");
    },
  );

  rule(
    "of accounts that confirm one address at the same moment, one gets it",
    async (store, { race }) => {
      const { owner } = await addTwo(store);
      const accounts: Link[] = [];
      for (const id of ["1", "2", "3", "4"]) {
        const user = await addTo(store, `person ${id}`);
        const profile = { id: user.id, userId: user.id, name: "kept", email: "old@example.org" };
        await store.profiles.set(profile);
        const link = { ...linkOf(user.id, id, "confirm-email"), email: "ADA@example.org" };
        await store.links.insert(link);
        accounts.push(link);
      }
      const outcomes = await race(({ links }, i) => {
        const link = accounts[i % accounts.length];
        assert.ok(link);
        return links.confirmEmail(link, "de", at(0));
      });
      const kinds = outcomes.map(({ kind }) => kind).toSorted();
      assert.equal(kinds.filter((kind) => kind === "confirmed").length, 1, String(kinds));
      // The link of the winner ends, and the others can be used after the address is free.
      assert.ok(kinds.filter((kind) => kind === "gone").length <= 1);
      const winner = await store.profiles.findUserId("ada@example.org");
      assert.ok(winner);
      for (const { id, userId } of accounts) {
        assert.ok(userId);
        const profile = await store.profiles.find(userId);
        const isWinner: boolean = userId === winner;
        assert.equal(profile?.name, "kept");
        assert.equal(profile?.email, isWinner ? "ADA@example.org" : "old@example.org");
        assert.equal(profile?.verifiedEmail, isWinner ? "ada@example.org" : undefined);
        assert.equal(profile?.locale, isWinner ? "de" : undefined);
        assert.equal((await store.links.find(`hash of ${id}`, at(0))) === undefined, isWinner);
      }
      assert.equal(await store.profiles.find(owner.id), undefined);
    },
  );

  rule(
    "a link ends the sessions of its account once, also at the same moment",
    async (store, { onlyOne }) => {
      const { owner, guest } = await addTwo(store);
      const link = linkOf(owner.id, "1", "end-sessions");
      await store.links.insert(link);
      const user = await onlyOne(({ links }) => links.endSessions(link, at(0)), 3);
      assert.equal(user?.username, "owner");
      const first = (await store.users.find(owner.id))?.sessionsFrom;
      assert.equal(first, at(0).getTime() / 1_000 + 1);
      assert.equal((await store.users.find(guest.id))?.sessionsFrom, undefined);
      const late = linkOf(owner.id, "2", "end-sessions");
      await store.links.insert(late);
      assert.equal(await store.links.endSessions(late, at(24)), undefined, "expired");
    },
  );

  rule("a link that ends sessions outlives a new password, and not its account", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.links.insert(linkOf(guest.id, "1", "end-sessions"));
    await store.links.insert(linkOf(guest.id, "2", "confirm-email"));
    await store.users.replaceHash(guest.id, hashText("hash of guest"), hashText("new"));
    assert.ok(await store.links.find("hash of 1", at(0)));
    assert.equal(await store.links.find("hash of 2", at(0)), undefined);
    await store.users.remove(guest.id);
    assert.equal(await store.links.find("hash of 1", at(0)), undefined);
    assert.ok(await store.users.find(owner.id));
  });

  rule("a mailed link for a new password ends with another address", async (store) => {
    const { owner } = await addTwo(store);
    const profile = { id: owner.id, userId: owner.id, email: "ada@example.org" };
    const { email: _, ...made } = linkOf(owner.id, "2", "reset");
    await store.links.insert(linkOf(owner.id, "1", "reset"));
    await store.links.insert(made);
    await store.profiles.set({ ...profile, name: "Ada" });
    assert.ok(await store.links.find("hash of 1", at(0)));
    const known = { name: "Ada", email: profile.email };
    await store.profiles.set({ ...profile, email: "new@example.org" }, known);
    assert.equal(await store.links.find("hash of 1", at(0)), undefined);
    assert.ok(await store.links.find("hash of 2", at(0)), "an administrator made this one");
  });

  rule("an invitation gives its address, unless another account has it", async (store) => {
    const { owner } = await addTwo(store);
    const { userId: _, ...invitation } = linkOf(owner.id, "1", "invite");
    const link: Link = { ...invitation, email: "New@example.org", usesLeft: 2 };
    await store.links.insert(link);
    const use = (username: string) =>
      store.links.use(link, { username, passwordHash: hashText(username) }, at(0), "fr");
    const users = [await use("first"), await use("second")];
    const profiles = await Promise.all(
      users.map((user) => {
        assert.ok(typeof user === "object");
        return store.profiles.find(user.id);
      }),
    );
    assert.deepEqual(
      profiles.map((profile) => [profile?.email, profile?.verifiedEmail, profile?.locale]),
      [
        ["New@example.org", "new@example.org", "fr"],
        ["New@example.org", undefined, "fr"],
      ],
    );
  });

  rule("removes what has expired", async (store) => {
    await store.outbox.insert(deliveryOf("a", { expiresAt: at(2) }));
    await store.outbox.insert(deliveryOf("b"));
    assert.equal(await store.outbox.removeExpired(at(2)), 0, "another clock may be behind");
    assert.equal(await store.outbox.removeExpired(at(3)), 1);
    assert.equal(idsOf(await store.outbox.claimDue(at(9), at(10), 9)), "b");
  });
}
