import assert from "node:assert/strict";
import { test } from "node:test";
import { addPasskey } from "../../../src/core/passkeys/add-passkey.ts";
import { signInWithPasskey } from "../../../src/core/passkeys/sign-in-with-passkey.ts";
import type { UserId } from "../../../src/core/store.ts";
import { createAuthenticator, PARTY } from "../../support/authenticator.ts";
import { added, CLIENT, ownerWithoutPasskey, ownerWithPasskey } from "./passkey-ports.ts";

test("adds a passkey, and records it", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  const passkey = await added(ports, owner.id);
  const [stored] = await passkeys();
  assert.deepEqual(
    [stored?.id, stored?.name, stored?.key, stored?.counter, stored?.addedAt, stored?.usedAt],
    [passkey.id, "Phone", passkey.publicKey, 0, ports.clock.now(), undefined],
  );
  assert.deepEqual(await ports.writtenEntries(), ["passkey_add: Added a passkey to owner"]);
});

test("keeps a name to 60 characters, and gives one to a passkey without", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  for (const name of [" \n ", ` ${"🔑".repeat(70)}`]) {
    const answer = createAuthenticator().create(ports.challenges.issue({ addTo: owner.id }));
    assert.equal(await addPasskey(ports, owner.id, { ...answer, name }, PARTY), "added");
  }
  assert.deepEqual(
    (await passkeys()).map(({ name }) => name),
    ["Passkey", "🔑".repeat(60)],
  );
});

test("rejects a challenge that is expired, was used, or is for something else", async (t) => {
  const { ports, owner, passkeys } = await ownerWithPasskey(t);
  const add = (challenge: string) =>
    addPasskey(ports, owner.id, createAuthenticator().create(challenge), PARTY);
  const { challenges, clock } = ports;
  const used = challenges.issue({ addTo: owner.id });
  const first = createAuthenticator();
  assert.equal(await addPasskey(ports, owner.id, first.create(used), PARTY), "added");
  assert.equal(await add(used), "rejected");
  const answer = first.get(challenges.issue("sign-in"), owner.id);
  assert.equal((await signInWithPasskey(ports, answer, PARTY, CLIENT)).kind, "signed-in");
  assert.equal(await add(used), "rejected", "also after other challenges");
  assert.equal(await add(challenges.issue("sign-in")), "rejected");
  assert.equal(await add(challenges.issue({ addTo: "another" as UserId })), "rejected");
  const expired = challenges.issue({ addTo: owner.id });
  clock.advance(300_000);
  assert.equal(await add(expired), "rejected");
  assert.equal((await passkeys()).length, 2);
});

test("rejects an unusable key, an answer from elsewhere, and a passkey added twice", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const issue = () => ports.challenges.issue({ addTo: owner.id });
  const add = (answer: Parameters<typeof addPasskey>[2]) =>
    addPasskey(ports, owner.id, answer, PARTY);
  const fresh = createAuthenticator();
  assert.equal(await add({ ...fresh.create(issue()), publicKey: "AAAA" }), "rejected");
  assert.equal(await add(fresh.create(issue(), { origin: "https://evil.example" })), "rejected");
  assert.equal(await add(fresh.create(issue(), { flags: 0x05 })), "rejected", "without an ID");
  assert.equal(await add(passkey.create(issue())), "rejected");
  assert.equal((await passkeys()).length, 1);
  const nobody = "nobody" as UserId;
  assert.equal(await addPasskey(ports, nobody, fresh.create(issue()), PARTY), "no-user");
  assert.equal((await ports.writtenEntries()).length, 1, "only that of the first passkey");
});

test("keeps both of two passkeys that are added at the same time", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  await Promise.all([added(ports, owner.id), added(ports, owner.id)]);
  assert.equal((await passkeys()).length, 2);
});

test("stores an ID of up to 1,023 bytes, and only the key of what the decoder accepts", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  const add = (idBytes: number) => {
    const one = createAuthenticator("ES256", idBytes);
    const answer = one.create(ports.challenges.issue({ addTo: owner.id }));
    const publicKey = `${answer.publicKey}${"é".repeat(20_000)}`;
    return addPasskey(ports, owner.id, { ...answer, publicKey }, PARTY);
  };
  for (const idBytes of [1_024, 65_535, 0]) assert.equal(await add(idBytes), "rejected");
  assert.equal(await add(1_023), "added");
  const [stored] = await passkeys();
  assert.deepEqual([stored?.id.length, stored?.key.length], [1_364, 122]);
});
