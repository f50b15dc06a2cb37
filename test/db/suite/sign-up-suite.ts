import assert from "node:assert/strict";
import { type Link, type SignUp, UNSET_PASSWORD } from "../../../src/db/records.ts";
import { COMPETITORS, type Rule, type With } from "./database.ts";
import { addTwo, at, TEXT } from "./samples.ts";

const signUpOf = (id: string, fields: Partial<SignUp> = {}): SignUp => ({
  ...{ id, username: `user ${id}`, passwordHash: UNSET_PASSWORD, facts: "{}" },
  ...{ createdAt: at(1), expiresAt: at(99), ...fields },
});

const read = ({ username, passwordHash }: SignUp) => ({
  account: { username, passwordHash },
  facts: { email: "Ada@example.org", emailIs: "verified", name: TEXT } as const,
});

/** Requests for accounts. */
export function testSignUps(rule: Rule<With<"signUps" | "profiles" | "links">>): void {
  rule("keeps a request until somebody decides, once", async (store, { race }) => {
    await addTwo(store);
    assert.equal(await store.signUps.insert(signUpOf("b"), undefined, at(1)), "waiting");
    const early = signUpOf("a", { createdAt: at(0), facts: TEXT });
    assert.equal(await store.signUps.insert(early, undefined, at(1)), "waiting");
    assert.deepEqual(await store.signUps.list(9), [early, signUpOf("b")], "oldest first");
    const outcomes = await race(({ signUps }) => signUps.approve("b", read));
    assert.equal(outcomes.length, COMPETITORS);
    const made = outcomes.flatMap((outcome) => (typeof outcome === "string" ? [] : [outcome]));
    assert.equal(made.length, 1);
    const found = await store.users.findByName("user b");
    assert.deepEqual(found?.profile, {
      ...{ name: TEXT, email: "Ada@example.org", verifiedEmail: "ada@example.org" },
    });
    assert.deepEqual(await store.signUps.remove("a"), early);
    assert.equal(await store.signUps.remove("a"), undefined);
    assert.equal(await store.signUps.approve("a", read), "gone");
  });

  rule("a name that somebody has, had or asked for is taken", async (store) => {
    const { guest } = await addTwo(store);
    await store.users.remove(guest.id);
    await store.signUps.insert(signUpOf("1", { username: "bob" }), undefined, at(1));
    for (const username of ["owner", "guest", "bob", "OWNER"]) {
      const outcome = await store.signUps.insert(signUpOf("2", { username }), undefined, at(1));
      assert.equal(outcome, "taken", username);
    }
    // Another way to an account was faster.
    await store.users.insert({ username: "bob", passwordHash: UNSET_PASSWORD });
    assert.equal(await store.signUps.approve("1", read), "taken");
    assert.equal((await store.signUps.list(9)).length, 1, "the request stays");
  });

  rule("uses the link up, or does nothing", async (store) => {
    await addTwo(store);
    const link = {
      ...{ id: "l", tokenHash: "l", purpose: "sign-up" as const, email: "ada@example.org" },
      ...{ expiresAt: at(9), usesLeft: 1 },
    } satisfies Link;
    await store.links.insert(link);
    assert.ok(await store.links.find("l", at(1)));
    assert.equal(
      await store.signUps.insert(signUpOf("1", { username: "owner" }), link, at(1)),
      "taken",
    );
    assert.ok(await store.links.find("l", at(1)));
    assert.equal(await store.signUps.insert(signUpOf("2"), link, at(1)), "waiting");
    assert.equal(await store.signUps.insert(signUpOf("3"), link, at(1)), "gone");
    assert.equal((await store.signUps.list(9)).length, 1);
  });

  rule("forgets requests about which nobody decides", async (store) => {
    await store.signUps.insert(signUpOf("1", { expiresAt: at(2) }), undefined, at(1));
    assert.equal(await store.signUps.removeExpired(at(3)), 1);
    assert.deepEqual(await store.signUps.list(9), []);
  });
}
