import assert from "node:assert/strict";
import type { Profile, UserId } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, UNKNOWN } from "./samples.ts";

const profileOf = (userId: UserId, fields: Partial<Profile> = {}): Profile => ({
  ...{ id: userId, userId, name: "Ada Example", email: "Ada@example.org" },
  ...fields,
});

const verified = { verifiedEmail: "ada@example.org" };

/** Names and e-mail addresses of people. */
export function testProfiles(rule: Rule<With<"profiles">>): void {
  rule(
    "replaces a profile as a whole, and removes it with its account",
    async (store, { connect }) => {
      const { owner, guest } = await addTwo(store);
      assert.equal(await store.profiles.find(owner.id), undefined);
      assert.equal(await store.profiles.set(profileOf(owner.id, verified)), "set");
      assert.equal(await store.profiles.set(profileOf(guest.id)), "set");
      const { profiles, users } = await connect();
      assert.deepEqual(await profiles.find(owner.id), profileOf(owner.id, verified));
      const nameless = { id: guest.id, userId: guest.id };
      assert.equal(await profiles.set(nameless), "set");
      assert.deepEqual(await store.profiles.find(guest.id), nameless);
      await users.remove(guest.id);
      assert.equal(await store.profiles.find(guest.id), undefined);
      assert.deepEqual(await store.profiles.find(owner.id), profileOf(owner.id, verified));
    },
  );

  rule("keeps no profile of an account that does not exist", async (store) => {
    assert.equal(await store.profiles.set(profileOf(UNKNOWN)), "no-user");
    assert.equal(await store.profiles.find(UNKNOWN), undefined);
  });

  rule(
    "a verified address belongs to one account, also at the same moment",
    async (store, { race }) => {
      const { owner, guest } = await addTwo(store);
      await store.profiles.set(profileOf(guest.id, { name: "before" }));
      const outcomes = await Promise.all([
        ...(await race(({ profiles }) => profiles.set(profileOf(owner.id, verified)))),
      ]);
      assert.ok(outcomes.every((outcome) => outcome === "set"));
      assert.equal(await store.profiles.set(profileOf(guest.id, verified)), "email-taken");
      assert.deepEqual(
        await store.profiles.find(guest.id),
        profileOf(guest.id, { name: "before" }),
      );

      await store.profiles.set(profileOf(owner.id));
      const [first, second] = await Promise.all([
        store.profiles.set(profileOf(owner.id, verified)),
        store.profiles.set(profileOf(guest.id, verified)),
      ]);
      assert.deepEqual([first, second].sort(), ["email-taken", "set"]);
    },
  );
}
