import assert from "node:assert/strict";
import { test } from "node:test";
import { removePasskey } from "../../../src/core/passkeys/remove-passkey.ts";
import { added, CLIENT, ownerWithPasskey } from "./passkey-ports.ts";

test("removes one passkey, and records it once", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const second = await added(ports, owner.id);
  for (const _ of ["once", "again"]) await removePasskey(ports, owner, passkey.id, CLIENT);
  const ids = (await passkeys()).map(({ id }) => id);
  assert.deepEqual(ids, [second.id]);
  const removed = "passkey_remove: Removed a passkey of owner";
  assert.deepEqual((await ports.writtenEntries()).slice(2), [removed]);
});

test("removes nothing of another user", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const { passwordHash } = owner;
  const guest = await ports.store.users.insert({ username: "guest", passwordHash });
  assert.ok(guest);
  await removePasskey(ports, guest, passkey.id, CLIENT);
  assert.equal((await passkeys()).length, 1);
});
