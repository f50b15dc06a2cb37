import assert from "node:assert/strict";
import { test } from "node:test";
import { removePasskey } from "../../../src/core/passkeys/remove-passkey.ts";
import type { UserId } from "../../../src/core/records.ts";
import { added, CLIENT, type Owner, ownerWithPasskey } from "./passkey-ports.ts";

const removing =
  ({ ports, owner }: Pick<Owner, "ports" | "owner">) =>
  (passkey: string, userId = owner.id) =>
    removePasskey(ports, userId, passkey, CLIENT);

test("removes one passkey, and records it once", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const second = await added(ports, owner.id);
  const remove = removing({ ports, owner });
  assert.equal(await remove(passkey.id), "removed");
  assert.equal(await remove(passkey.id), "removed", "again");
  assert.deepEqual(
    (await passkeys()).map(({ id }) => id),
    [second.id],
  );
  const removed = "passkey_remove: Removed a passkey of owner";
  assert.deepEqual((await ports.writtenEntries()).slice(2), [removed]);
});

test("removes nothing of another user, or for an unknown user", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const remove = removing({ ports, owner });
  const { passwordHash } = owner;
  const guest = await ports.store.users.insert({ username: "guest", passwordHash });
  assert.equal(await remove(passkey.id, guest?.id), "removed");
  assert.equal(await remove(passkey.id, "nobody" as UserId), "no-user");
  assert.equal((await passkeys()).length, 1);
});
