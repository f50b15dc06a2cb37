import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../../src/db/records.ts";
import {
  addPasskey,
  beginPasskey,
  removePasskey,
  renamePasskey,
} from "../../../src/features/passkeys/manage-passkeys.ts";
import { createAuthenticator } from "../../support/authenticator.ts";
import { OWNER } from "../../support/gate.ts";
import { added, CLIENT, FROM, ownerWithoutPasskey, ownerWithPasskey } from "./passkey-services.ts";

test("issues a challenge, and lists what the account has", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  const outcome = await beginPasskey(ports, owner.id);
  assert.ok(outcome.kind === "begun");
  assert.deepEqual(outcome.user, { id: owner.id, username: OWNER.username }, "without the hash");
  assert.deepEqual(outcome.existing, [passkey.id]);
  assert.ok(ports.challenges.verify(outcome.challenge, { addTo: owner.id }));
  assert.deepEqual(await beginPasskey(ports, "nobody" as UserId), { kind: "no-user" });
});

test("an account has a bounded number of passkeys", async (t) => {
  const { ports, owner } = await ownerWithoutPasskey(t);
  for (let count = 0; count < 20; count += 1) await added(ports, owner.id);
  const outcome = await beginPasskey(ports, owner.id);
  assert.deepEqual(outcome, { kind: "too-many" });
  await assert.rejects(added(ports, owner.id), /rejected/);
});

test("adds a passkey, and records it", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  const passkey = await added(ports, owner.id);
  const [stored] = await passkeys();
  const { id, publicKey: key } = passkey;
  const addedAt = new Date(ports.clock.now());
  assert.deepEqual(stored, { id, userId: owner.id, name: "Phone", key, counter: 0, addedAt });
  assert.deepEqual(await ports.writtenEntries(), ["passkey_add: Added a passkey to owner"]);
});

test("keeps a name of 255 bytes, and gives one to a passkey without", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  for (const name of ["a\0b", "a\nb", "🔑".repeat(64)]) {
    const answer = createAuthenticator().create(ports.challenges.issue({ addTo: owner.id }));
    assert.equal(await addPasskey(ports, owner.id, { ...answer, name }, FROM), "name-invalid");
    assert.equal(await renamePasskey(ports, owner.id, "any", name), "name-invalid");
  }
  for (const name of [" \n ", ` ${"🔑".repeat(63)}`]) {
    const answer = createAuthenticator().create(ports.challenges.issue({ addTo: owner.id }));
    assert.equal(await addPasskey(ports, owner.id, { ...answer, name }, FROM), "added");
    ports.clock.advance(1);
  }
  const names = (await passkeys()).map(({ name }) => name);
  assert.deepEqual(names, ["Passkey", "🔑".repeat(63)]);
});

test("rejects a challenge that is expired, was used, or is for something else", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  const { challenges, clock } = ports;
  const add = (challenge: string) =>
    addPasskey(ports, owner.id, createAuthenticator().create(challenge), FROM);
  const challenge = challenges.issue({ addTo: owner.id });
  const twice = await Promise.all([add(challenge), add(challenge)]);
  assert.deepEqual(twice.sort(), ["added", "rejected"]);
  assert.equal(await add(challenge), "rejected");
  assert.equal(await add(challenges.issue("sign-in")), "rejected");
  assert.equal(await add(challenges.issue({ addTo: "another" as UserId })), "rejected");
  const expired = challenges.issue({ addTo: owner.id });
  clock.advance(300_000);
  assert.equal(await add(expired), "rejected");
  assert.equal((await passkeys()).length, 1);
});

test("rejects an unusable key, an answer from elsewhere, and a passkey added twice", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const issue = () => ports.challenges.issue({ addTo: owner.id });
  const add = (answer: Parameters<typeof addPasskey>[2]) =>
    addPasskey(ports, owner.id, answer, FROM);
  const fresh = createAuthenticator();
  assert.equal(await add({ ...fresh.create(issue()), attestation: "AAAA" }), "rejected");
  assert.equal(await add(fresh.create(issue(), { origin: "https://evil.example" })), "rejected");
  assert.equal(await add(fresh.create(issue(), { flags: 0x05 })), "rejected", "without an ID");
  assert.equal(await add(passkey.create(issue())), "rejected");
  assert.equal((await passkeys()).length, 1);
  const nobody = "nobody" as UserId;
  assert.equal(await addPasskey(ports, nobody, fresh.create(issue()), FROM), "no-user");
  assert.equal((await ports.writtenEntries()).length, 1, "only that of the first passkey");
});

test("stores an ID of up to 1,023 bytes, and only what the decoder accepts", async (t) => {
  const { ports, owner, passkeys } = await ownerWithoutPasskey(t);
  const add = (idBytes: number) => {
    const one = createAuthenticator("ES256", idBytes);
    const answer = one.create(ports.challenges.issue({ addTo: owner.id }));
    const attestation = `${answer.attestation}${"é".repeat(20_000)}`;
    return addPasskey(ports, owner.id, { ...answer, attestation }, FROM);
  };
  for (const idBytes of [1_024, 65_535, 0]) assert.equal(await add(idBytes), "rejected");
  assert.equal(await add(1_023), "added");
  const [stored] = await passkeys();
  assert.deepEqual([stored?.id.length, stored?.key.length], [1_364, 122]);
});

test("removes one passkey, and records it once", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const changed = t.mock.method(ports, "onFactorsChanged");
  const second = await added(ports, owner.id);
  assert.equal(changed.mock.callCount(), 1);
  for (const _ of ["once", "again"]) await removePasskey(ports, owner, passkey.id, CLIENT);
  assert.deepEqual(changed.mock.calls.at(-1)?.arguments, [owner.id]);
  const ids = (await passkeys()).map(({ id }) => id);
  assert.deepEqual(ids, [second.id]);
  const removed = "passkey_remove: Removed a passkey of owner";
  assert.deepEqual((await ports.writtenEntries()).slice(2), [removed]);
});

test("renames and removes nothing of another user", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const { passwordHash } = owner;
  const guest = await ports.store.users.insert({ username: "guest", passwordHash });
  assert.ok(guest);
  await removePasskey(ports, guest, passkey.id, CLIENT);
  assert.equal(await renamePasskey(ports, guest.id, passkey.id, "theirs"), "no-passkey");
  assert.equal(await renamePasskey(ports, owner.id, passkey.id, " Laptop "), "renamed");
  const names = (await passkeys()).map(({ name }) => name);
  assert.deepEqual(names, ["Laptop"]);
});
