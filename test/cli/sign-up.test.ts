import assert from "node:assert/strict";
import { test } from "node:test";
import { type SignUp, UNSET_PASSWORD } from "../../src/db/records.ts";
import { failureOf, outputOf } from "../support/command.ts";
import { jsonLines } from "../support/json-lines.ts";
import { hashText } from "../support/store.ts";
import { places } from "./user/either.ts";

const DAY_MS = 86_400_000;

const signUpOf = (id: string, fields: Partial<SignUp>): SignUp => ({
  ...{ id, asker: id, username: id, passwordHash: UNSET_PASSWORD, facts: "{}" },
  ...{ createdAt: new Date(Date.now() - DAY_MS), expiresAt: new Date(Date.now() + DAY_MS) },
  ...fields,
});

const identity = {
  ...{ id: "i", provider: "google", issuer: "https://accounts.google.com", subject: "7" },
  ...{ addedAt: new Date(0).toISOString() },
};

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: sign-up list shows who asks, and approve and decline decide once`, async (t) => {
    const { env, store, accounts, entries } = await open(t, "owner");
    const run = (...args: readonly string[]) => outputOf(["sign-up", ...args], { env });
    assert.equal(await run("list"), "");
    const signUps = [
      signUpOf("5b7d", {
        ...{ username: "bob", passwordHash: hashText("hash of bob") },
        facts: JSON.stringify({ email: "bob@example.org", emailIs: "verified", groups: [] }),
      }),
      signUpOf("6c8e", {
        createdAt: new Date(Date.now() - DAY_MS / 2),
        username: "eve",
        facts: JSON.stringify({
          ...{ name: "Eve", email: "eve@other.test", emailIs: "unverified", groups: ["family"] },
          identity,
        }),
      }),
      signUpOf("7d9f", { expiresAt: new Date(Date.now() - 1) }),
    ];
    for (const signUp of signUps) await store.signUps.insert(signUp, undefined, new Date(0));

    const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`;
    const rows = (await run("list")).split("\n");
    assert.match(
      rows[0] ?? "",
      new RegExp(`^bob  bob@example.org +-       ${TIME}  ${TIME}  5b7d$`),
    );
    const eve = `^eve  eve@other.test \\(unverified\\)  google  ${TIME}  ${TIME}  6c8e$`;
    assert.match(rows[1] ?? "", new RegExp(eve));
    assert.deepEqual(rows.slice(2), [""]);
    const listed = await run("list", "--json");
    assert.doesNotMatch(listed, /hash of bob|accounts\.google/);
    assert.deepEqual(jsonLines(listed)[1], {
      ...{ id: "6c8e", username: "eve", name: "Eve", email: "eve@other.test" },
      ...{ emailIs: "unverified", provider: "google", groups: ["family"] },
      createdAt: signUps[1]?.createdAt.toISOString(),
      expiresAt: signUps[1]?.expiresAt.toISOString(),
    });

    assert.equal(await run("approve", "5b7d"), 'Added the user "bob".\n');
    assert.equal(await run("decline", "6c8e"), 'Declined the request "6c8e".\n');
    const { bob, eve: nobody } = await accounts();
    assert.equal(bob?.passwordHash, signUps[0]?.passwordHash);
    assert.equal(nobody, undefined);
    assert.equal(await run("list"), "");
    for (const name of ["approve", "decline"]) {
      const again = await failureOf(["sign-up", name, "5b7d"], { env });
      assert.equal(again, 'there is no request "5b7d"');
    }
    assert.deepEqual(await entries(), [
      "cli user_add: Added account bob",
      "cli user_decline: Declined the request of eve for an account",
    ]);
  });

  test(`${kind}: sign-up approve says why it makes no account`, async (t) => {
    const { env, store, accounts } = await open(t, "owner");
    const { owner } = await accounts();
    assert.ok(owner);
    const facts = JSON.stringify({ identity });
    await store.signUps.insert(signUpOf("5b7d", { username: "bob" }), undefined, new Date(0));
    await store.signUps.insert(
      signUpOf("6c8e", { username: "eve", facts }),
      undefined,
      new Date(0),
    );
    await store.users.insert({ username: "Bob", passwordHash: UNSET_PASSWORD });
    const addedAt = new Date(0);
    await store.identities.insert({ ...identity, addedAt, userId: owner.id }, 9);
    const taken = await failureOf(["sign-up", "approve", "5b7d"], { env });
    assert.match(taken, /^another user has or had the name "bob", or one like it: decline/);
    const linked = await failureOf(["sign-up", "approve", "6c8e"], { env });
    assert.match(linked, /^the account with which "eve" would sign in is linked with another user/);
    assert.equal((await store.signUps.list(9, new Date())).length, 2, "the requests stay");
    assert.match(await failureOf(["sign-up", "approve"], { env }, 2), /takes ID/);
  });
}
