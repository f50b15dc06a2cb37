import assert from "node:assert/strict";
import type { Delivery, Link, UserId } from "../../../src/db/records.ts";
import { COMPETITORS, type Rule, type With } from "./database.ts";
import { addTwo, at, TEXT } from "./samples.ts";

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
export function testOutbox(rule: Rule<With<"outbox" | "links">>): void {
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

  rule("removes what has expired", async (store) => {
    await store.outbox.insert(deliveryOf("a", { expiresAt: at(2) }));
    await store.outbox.insert(deliveryOf("b"));
    assert.equal(await store.outbox.removeExpired(at(2)), 0, "another clock may be behind");
    assert.equal(await store.outbox.removeExpired(at(3)), 1);
    assert.equal(idsOf(await store.outbox.claimDue(at(9), at(10), 9)), "b");
  });
}
