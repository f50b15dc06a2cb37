import assert from "node:assert/strict";
import { type Link, type SignUp, UNSET_PASSWORD } from "../../../src/db/records.ts";
import { COMPETITORS, type Rule, type With } from "./database.ts";
import { addTwo, at, TEXT } from "./samples.ts";

const signUpOf = (id: string, fields: Partial<SignUp> = {}): SignUp => ({
  ...{
    id,
    asker: `asker ${id}`,
    username: `user ${id}`,
    passwordHash: UNSET_PASSWORD,
    facts: "{}",
  },
  ...{ createdAt: at(1), expiresAt: at(99), ...fields },
});

const read = ({ username, passwordHash }: SignUp) => ({
  account: { username, passwordHash },
  facts: { email: "Ada@example.org", emailIs: "verified", name: TEXT } as const,
});

const linkOf = (id: string): Link => ({
  ...{ id, tokenHash: id, purpose: "sign-up", email: "ada@example.org" },
  ...{ expiresAt: at(9), usesLeft: 1 },
});

/** Requests for accounts. */
export function testSignUps(rule: Rule<With<"signUps" | "profiles" | "links">>): void {
  rule("keeps a request until somebody decides, once", async (store, { race }) => {
    await addTwo(store);
    assert.equal(await store.signUps.insert(signUpOf("b"), undefined, at(1)), "waiting");
    const early = signUpOf("a", { createdAt: at(0), facts: TEXT });
    assert.equal(await store.signUps.insert(early, undefined, at(1)), "waiting");
    assert.deepEqual(await store.signUps.list(9, at(1)), [early, signUpOf("b")], "oldest first");
    const outcomes = await race(({ signUps }) => signUps.approve("b", at(1), read));
    assert.equal(outcomes.length, COMPETITORS);
    const made = outcomes.flatMap((outcome) => (typeof outcome === "string" ? [] : [outcome]));
    assert.equal(made.length, 1);
    const found = await store.users.findByName("user b");
    assert.deepEqual(found?.profile, {
      ...{ name: TEXT, email: "Ada@example.org", verifiedEmail: "ada@example.org" },
    });
    assert.deepEqual(await store.signUps.remove("a"), early);
    assert.equal(await store.signUps.remove("a"), undefined);
    assert.equal(await store.signUps.approve("a", at(1), read), "gone");
  });

  rule("a name that somebody has, had or asked for is taken", async (store) => {
    const { guest } = await addTwo(store);
    await store.users.remove(guest.id);
    await store.signUps.insert(signUpOf("1", { username: "bob" }), undefined, at(1));
    for (const username of ["owner", "guest", "bob", "OWNER", "Bob"]) {
      const outcome = await store.signUps.insert(signUpOf("2", { username }), undefined, at(1));
      assert.equal(outcome, "taken", username);
    }
    for (const [username, isAsked] of [
      ["bob", true],
      ["BOB", true],
      ["owner", false],
    ] as const) {
      assert.equal(await store.signUps.isNameAsked(username, at(1)), isAsked, username);
    }
    assert.equal(await store.signUps.isNameAsked("bob", at(99)), false);
    // Another way to an account was faster.
    await store.users.insert({ username: "bob", passwordHash: UNSET_PASSWORD });
    assert.equal(await store.signUps.approve("1", at(1), read), "taken");
    assert.equal((await store.signUps.list(9, at(1))).length, 1, "the request stays");
  });

  rule("uses the link up, or does nothing", async (store) => {
    await addTwo(store);
    const link = linkOf("l");
    await store.links.insert(link);
    assert.ok(await store.links.find("l", at(1)));
    assert.equal(
      await store.signUps.insert(signUpOf("1", { username: "owner" }), link, at(1)),
      "taken",
    );
    assert.ok(await store.links.find("l", at(1)));
    assert.equal(await store.signUps.insert(signUpOf("2"), link, at(1)), "waiting");
    assert.equal(await store.signUps.insert(signUpOf("3"), link, at(1)), "gone");
    assert.equal((await store.signUps.list(9, at(1))).length, 1);
  });

  rule(
    "a person who asks again has one request, and the earlier one stays",
    async (store, { race }) => {
      const outcomes = await race(({ signUps }, i) =>
        signUps.insert(signUpOf(`${i}`, { asker: "ada" }), undefined, at(1)),
      );
      const expected = ["waiting", ...Array<string>(COMPETITORS - 1).fill("repeated")];
      assert.deepEqual(outcomes.toSorted(), expected.toSorted());
      const [first, ...others] = await store.signUps.list(9, at(1));
      assert.ok(first);
      assert.deepEqual(others, []);
      assert.deepEqual(await store.signUps.remove(first.id), first);
    },
  );

  rule(
    "with a new link, the request of a person replaces the earlier one",
    async (store, { race }) => {
      for (let i = 0; i < COMPETITORS; i += 1) await store.links.insert(linkOf(`l${i}`));
      const outcomes = await race(({ signUps }, i) =>
        signUps.insert(signUpOf(`${i}`, { asker: "ada", username: "ada" }), linkOf(`l${i}`), at(1)),
      );
      assert.deepEqual(outcomes, Array(COMPETITORS).fill("waiting"));
      const [last, ...others] = await store.signUps.list(9, at(1));
      assert.ok(last);
      assert.deepEqual(others, []);
      await store.links.insert(linkOf("m"));
      const next = signUpOf("next", { asker: "ada", username: "Ada L.", facts: TEXT });
      assert.equal(await store.signUps.insert(next, linkOf("m"), at(1)), "waiting");
      assert.deepEqual(await store.signUps.list(9, at(1)), [next]);
      assert.equal(
        await store.signUps.approve(last.id, at(1), read),
        "gone",
        "it is another request",
      );
    },
  );

  rule("of two people who ask for one name at once, one gets it", async (_, { race }) => {
    const outcomes = await race(({ signUps }, i) =>
      signUps.insert(signUpOf(`${i}`, { username: "ada" }), undefined, at(1)),
    );
    assert.equal(outcomes.filter((outcome) => outcome === "waiting").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === "taken").length, COMPETITORS - 1);
  });

  rule("a request whose time has passed is none", async (store) => {
    await store.signUps.insert(signUpOf("1", { expiresAt: at(2) }), undefined, at(1));
    assert.equal((await store.signUps.list(9, at(1))).length, 1);
    assert.deepEqual(await store.signUps.list(9, at(2)), []);
    assert.equal(await store.signUps.approve("1", at(2), read), "gone");
    const again = signUpOf("2", { asker: "asker 1", username: "user 1" });
    assert.equal(await store.signUps.insert(again, undefined, at(2)), "waiting");
    assert.deepEqual(await store.signUps.list(9, at(2)), [again]);
  });

  rule("forgets requests about which nobody decides", async (store) => {
    await store.signUps.insert(signUpOf("1", { expiresAt: at(2) }), undefined, at(1));
    assert.equal(await store.signUps.removeExpired(at(3)), 1);
    assert.deepEqual(await store.signUps.list(9, at(1)), []);
  });
}
