import assert from "node:assert/strict";
import {
  type Identity,
  toIdentityId,
  UNSET_PASSWORD,
  type UserId,
} from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, UNKNOWN } from "./samples.ts";

const ISSUER = "https://login.example.org";

const identityOf = (userId: UserId, subject: string, fields: Partial<Identity> = {}): Identity => ({
  ...{ id: toIdentityId(ISSUER, subject), userId, provider: "company", issuer: ISSUER, subject },
  ...{ addedAt: at(1), ...fields },
});

/** Accounts of other providers with which people sign in. */
export function testIdentities(rule: Rule<With<"identities" | "passkeys">>): void {
  rule("finds the account of an identity while the account lasts", async (store, { connect }) => {
    const { owner, guest } = await addTwo(store);
    assert.equal(await store.identities.insert(identityOf(owner.id, "1"), 9), "added");
    assert.equal(await store.identities.insert(identityOf(owner.id, "1"), 9), "added", "again");
    assert.equal(await store.identities.insert(identityOf(guest.id, "1"), 9), "taken");
    const { identities, users } = await connect();
    assert.equal((await identities.findUser(toIdentityId(ISSUER, "1"), at(2)))?.id, owner.id);
    assert.equal(await identities.findUser(toIdentityId(ISSUER, "2"), at(2)), undefined);
    assert.equal(await identities.findUser(toIdentityId(`${ISSUER}/`, "1"), at(2)), undefined);
    await users.insert({ username: "third", passwordHash: UNSET_PASSWORD });
    await users.remove(owner.id);
    assert.equal(await identities.findUser(toIdentityId(ISSUER, "1"), at(2)), undefined);
    assert.equal(
      await store.identities.insert(identityOf(guest.id, "1"), 9),
      "added",
      "free again",
    );
  });

  rule("of two accounts at once, one gets an identity", async (store, { race }) => {
    const { owner, guest } = await addTwo(store);
    let turn = 0;
    const outcomes = await race(({ identities }) => {
      turn += 1;
      return identities.insert(identityOf(turn % 2 === 0 ? owner.id : guest.id, "1"), 9);
    });
    const owners = [owner.id, guest.id];
    const lists = await Promise.all(owners.map((id) => store.identities.listOf(id)));
    assert.equal(lists.flat().length, 1);
    assert.ok(outcomes.includes("taken") && outcomes.includes("added"));
  });

  rule("refuses an identity of ended sessions, of nobody, and one too many", async (store) => {
    const { owner } = await addTwo(store);
    assert.equal(await store.identities.insert(identityOf(UNKNOWN, "1"), 9), "no-user");
    await store.users.endSessions(owner.id, 17);
    assert.equal(await store.identities.insert(identityOf(owner.id, "1"), 9), "no-user");
    const { sessionsFrom } = (await store.users.find(owner.id)) ?? {};
    assert.equal(
      await store.identities.insert(identityOf(owner.id, "1"), 1, sessionsFrom),
      "added",
    );
    const second = identityOf(owner.id, "2");
    assert.equal(await store.identities.insert(second, 1, sessionsFrom), "too-many");
  });

  rule("notes the use, and how the provider calls the person now", async (store) => {
    const { owner } = await addTwo(store);
    const identity = identityOf(owner.id, "1", { label: "old" });
    await store.identities.insert(identity, 9);
    await store.identities.noteUse(identity.id, { at: at(5), label: "new" });
    assert.deepEqual(await store.identities.listOf(owner.id), [
      { ...identity, label: "new", usedAt: at(5) },
    ]);
    await store.identities.noteUse(identity.id, { at: at(6), label: undefined });
    const { label: _, ...nameless } = identity;
    assert.deepEqual(await store.identities.listOf(owner.id), [{ ...nameless, usedAt: at(6) }]);
  });

  rule("removes an identity, but never the only way in", async (store) => {
    const { owner, guest } = await addTwo(store);
    const user = await store.users.insert({ username: "bob", passwordHash: UNSET_PASSWORD });
    assert.ok(user);
    for (const subject of ["1", "2"])
      await store.identities.insert(identityOf(user.id, subject), 9);
    const [first, second] = ["1", "2"].map((subject) => toIdentityId(ISSUER, subject));
    assert.ok(first && second);
    assert.equal(await store.identities.remove(guest.id, first), "no-identity", "of another");
    assert.equal(await store.identities.remove(user.id, first), "removed");
    assert.equal(await store.identities.remove(user.id, second), "only-way-in");
    const passkey = { id: "p", userId: user.id, name: "", key: "k", counter: 0, addedAt: at(1) };
    assert.equal(await store.passkeys.insert(passkey, 9), true);
    assert.equal(await store.identities.remove(user.id, second), "removed");
    await store.identities.insert(identityOf(owner.id, "3"), 9);
    const third = toIdentityId(ISSUER, "3");
    assert.equal(await store.identities.remove(owner.id, third), "removed", "has a password");
  });
}
