import assert from "node:assert/strict";
import { test } from "node:test";
import { removePasskey } from "../../../src/core/passkeys/remove-passkey.ts";
import type { UserId } from "../../../src/core/store.ts";
import { OWNER } from "../../support/gate.ts";
import { added, CLIENT, ownerWithPasskey } from "./passkey-ports.ts";

test("removes one passkey, and the extra with the last one", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const second = await added(ports, owner.id);
  const remove = (id: string) => removePasskey(ports, owner.id, id, OWNER.password, CLIENT);
  assert.equal(await remove(passkey.id), "removed");
  assert.deepEqual(
    (await passkeys()).map(({ id }) => id),
    [second.id],
  );
  assert.equal(await remove(second.id), "removed");
  assert.equal(await ports.store.hasExtra("passkeys"), false);
  assert.equal(await remove(second.id), "removed", "again");
  assert.deepEqual((await ports.writtenEntries()).slice(2), [
    "passkey_remove: Removed a passkey of owner",
    "passkey_remove: Removed a passkey of owner",
  ]);
});

test("removes nothing without the password, of another user, or for an unknown ID", async (t) => {
  const { ports, owner, passkey, passkeys } = await ownerWithPasskey(t);
  const wrong = await removePasskey(ports, owner.id, passkey.id, "wrong", CLIENT);
  assert.equal(wrong, "current-password-incorrect");
  const { passwordHash } = owner;
  const guest = await ports.store.insertUser({ username: "guest", passwordHash });
  assert.ok(guest);
  await removePasskey(ports, guest.id, passkey.id, OWNER.password, CLIENT);
  const nobody = "nobody" as UserId;
  assert.equal(await removePasskey(ports, nobody, passkey.id, "", CLIENT), "no-user");
  const unknown = await removePasskey(ports, owner.id, "unknown", OWNER.password, CLIENT);
  assert.equal(unknown, "removed");
  assert.equal((await passkeys()).length, 1);
});

test("reports an account that is removed at the same time", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  await ports.store.insertUser({ username: "guest", passwordHash: owner.passwordHash });
  const verify = async () => (await ports.store.removeUser(owner.id)) === "removed";
  const removing = { ...ports, passwords: { verify } };
  const outcome = await removePasskey(removing, owner.id, passkey.id, OWNER.password, CLIENT);
  assert.equal(outcome, "no-user");
});
