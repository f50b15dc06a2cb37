import assert from "node:assert/strict";
import { test } from "node:test";
import { beginPasskey, MAX_PASSKEYS } from "../../../src/core/passkeys/begin-passkey.ts";
import type { UserId } from "../../../src/core/records.ts";
import { OWNER } from "../../support/gate.ts";
import { added, ownerWithoutPasskey, ownerWithPasskey } from "./passkey-ports.ts";

test("issues a challenge, and lists what the account has", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  const outcome = await beginPasskey(ports, owner.id);
  assert.ok(outcome.kind === "begun");
  assert.deepEqual(outcome.user, { id: owner.id, username: OWNER.username }, "without the hash");
  assert.deepEqual(outcome.existing, [passkey.id]);
  assert.ok(ports.challenges.verify(outcome.challenge, { addTo: owner.id }));
});

test("issues none for an unknown user", async (t) => {
  const { ports } = await ownerWithoutPasskey(t);
  const unknown = await beginPasskey(ports, "nobody" as UserId);
  assert.deepEqual(unknown, { kind: "no-user" });
});

test("an account has a bounded number of passkeys", async (t) => {
  const { ports, owner } = await ownerWithoutPasskey(t);
  for (let count = 0; count < MAX_PASSKEYS; count += 1) await added(ports, owner.id);
  const outcome = await beginPasskey(ports, owner.id);
  assert.deepEqual(outcome, { kind: "too-many" });
  await assert.rejects(added(ports, owner.id), /rejected/);
});
