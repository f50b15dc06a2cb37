import assert from "node:assert/strict";
import type { Profile, UserId } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, UNKNOWN } from "./samples.ts";

const profileOf = (userId: UserId, fields: Partial<Profile> = {}): Profile => ({
  ...{ id: userId, userId, name: "Ada Example", email: "Ada@example.org" },
  ...fields,
});

const verified = { verifiedEmail: "ada@example.org" };

/** What a user has of this profile. */
const kept = ({ id, userId, ...fields }: Profile) => fields;

/** Names and e-mail addresses of people. */
export function testProfiles(rule: Rule<With<"profiles">>): void {
  const findProfile = async ({ users }: With<"profiles">, id: UserId) =>
    (await users.find(id))?.profile;

  rule(
    "replaces a profile as a whole, and removes it with its account",
    async (store, { connect }) => {
      const { owner, guest } = await addTwo(store);
      assert.equal(await findProfile(store, owner.id), undefined);
      const [first, second] = [profileOf(owner.id, verified), profileOf(guest.id)];
      assert.equal(await store.profiles.set(first), "set");
      assert.equal(await store.profiles.set(second), "set");
      const other = await connect();
      assert.deepEqual(await findProfile(other, owner.id), kept(first));
      const nameless = { id: guest.id, userId: guest.id, email: "ben@example.org" };
      assert.equal(await other.profiles.set(nameless, kept(second)), "set");
      assert.deepEqual(await findProfile(store, guest.id), kept(nameless));
      const empty = { id: guest.id, userId: guest.id };
      assert.equal(await other.profiles.set(empty, kept(nameless)), "set");
      assert.equal(await findProfile(store, guest.id), undefined);
      await other.users.remove(guest.id);
      assert.deepEqual(await findProfile(store, owner.id), kept(first));
    },
  );

  rule("every way to find a user finds the profile", async (store) => {
    const { owner, guest } = await addTwo(store);
    const profile = profileOf(owner.id, verified);
    await store.profiles.set(profile);
    const now = new Date();
    const found = [
      await store.users.find(owner.id),
      await store.users.findByName(owner.username),
      await store.users.findActive(owner.id, now),
      await store.users.findActiveByName(owner.username, now),
      await store.sessions.findUser("session", owner.id),
      await store.sessions.findUser(undefined, owner.id),
      (await store.users.read("", 10)).find(({ id }) => id === owner.id),
    ];
    for (const user of found) {
      assert.equal(user?.id, owner.id);
      assert.deepEqual(user.profile, kept(profile));
    }
    const listed = [...(await store.users.read("", 10))];
    assert.equal(listed.find(({ id }) => id === guest.id)?.profile, undefined);
    const { name, email } = profile;
    const person = await store.people.find(owner.id, now);
    const seen = { id: owner.id, username: owner.username, name, email, emailVerified: true };
    assert.deepEqual(person?.user, seen);
    const search = { search: owner.username, limit: 10, now };
    assert.deepEqual((await store.people.list(search))[0]?.user, seen);
  });

  rule("keeps no profile of an account that does not exist", async (store) => {
    assert.equal(await store.profiles.set(profileOf(UNKNOWN)), "no-user");
    assert.equal(await findProfile(store, UNKNOWN), undefined);
  });

  rule("replaces a profile only if it still is as it was", async (store, { race }) => {
    const { owner } = await addTwo(store);
    const first = profileOf(owner.id, verified);
    await store.profiles.set(first);
    const others: readonly Partial<Profile>[] = [{}, { name: "b" }, kept(profileOf(owner.id))];
    for (const from of others)
      assert.equal(await store.profiles.set(profileOf(owner.id), from), "changed-meanwhile");
    assert.deepEqual(await findProfile(store, owner.id), kept(first));
    let at = 0;
    const outcomes = await race(({ profiles }) => {
      at += 1;
      return profiles.set(profileOf(owner.id, { name: `name ${at}` }), kept(first));
    });
    assert.equal(outcomes.filter((outcome) => outcome === "set").length, 1);
    assert.equal(new Set(outcomes).size, 2);
  });

  rule(
    "a verified address belongs to one account, also at the same moment",
    async (store, { race }) => {
      const { owner, guest } = await addTwo(store);
      const before = profileOf(guest.id, { name: "before" });
      await store.profiles.set(before);
      assert.equal(await store.profiles.set(profileOf(owner.id, verified)), "set");
      const taken = await race(({ profiles }) =>
        profiles.set(profileOf(guest.id, verified), kept(before)),
      );
      assert.deepEqual([...new Set(taken)], ["email-taken"]);
      assert.deepEqual(await findProfile(store, guest.id), kept(before));

      await store.profiles.set(profileOf(owner.id), kept(profileOf(owner.id, verified)));
      const outcomes = await Promise.all([
        store.profiles.set(profileOf(owner.id, verified), kept(profileOf(owner.id))),
        store.profiles.set(profileOf(guest.id, verified), kept(before)),
      ]);
      assert.deepEqual(outcomes.sort(), ["email-taken", "set"]);
    },
  );
}
