import assert from "node:assert/strict";
import { test } from "node:test";
import { beginPasskey, MAX_PASSKEYS } from "../../../src/core/passkeys/begin-passkey.ts";
import { createChallenges } from "../../../src/core/passkeys/challenges.ts";
import type { UserId } from "../../../src/core/records.ts";
import { OWNER, SECRET } from "../../support/gate.ts";
import { withCodes } from "../codes/codes-ports.ts";
import { added, CLIENT, ownerWithoutPasskey, ownerWithPasskey } from "./passkey-ports.ts";

const ENTERED = { currentPassword: OWNER.password, code: "" } as const;

test("issues a challenge for the right password, and lists what the account has", async (t) => {
  const { ports, owner, passkey } = await ownerWithPasskey(t);
  const outcome = await beginPasskey(ports, owner.id, ENTERED, CLIENT);
  assert.ok(outcome.kind === "begun");
  assert.deepEqual(outcome.user, { id: owner.id, username: OWNER.username }, "without the hash");
  assert.deepEqual(outcome.existing, [passkey.id]);
  assert.ok(ports.challenges.verify(outcome.challenge, { addTo: owner.id }));
});

test("issues none for a wrong password or an unknown user", async (t) => {
  const { ports, owner } = await ownerWithoutPasskey(t);
  for (const currentPassword of ["", "wrong"]) {
    const outcome = await beginPasskey(ports, owner.id, { currentPassword, code: "" }, CLIENT);
    assert.deepEqual(outcome, { kind: "current-password-incorrect" });
  }
  const unknown = await beginPasskey(ports, "nobody" as UserId, ENTERED, CLIENT);
  assert.deepEqual(unknown, { kind: "no-user" });
});

test("an account has a bounded number of passkeys", async (t) => {
  const { ports, owner } = await ownerWithoutPasskey(t);
  for (let count = 0; count < MAX_PASSKEYS; count += 1) await added(ports, owner.id);
  const outcome = await beginPasskey(ports, owner.id, ENTERED, CLIENT);
  assert.deepEqual(outcome, { kind: "too-many" });
  await assert.rejects(added(ports, owner.id), /rejected/);
});

test("asks an account that uses one-time codes for a code, which is then used up", async (t) => {
  const { ports, code, user } = await withCodes(t);
  const challenges = createChallenges([SECRET], ports.clock);
  const begin = async (entered: string) =>
    (await beginPasskey({ ...ports, challenges }, user.id, { ...ENTERED, code: entered }, CLIENT))
      .kind;
  assert.deepEqual([await begin(""), await begin("000000")], ["code-incorrect", "code-incorrect"]);
  assert.deepEqual([await begin(code()), await begin(code())], ["begun", "code-incorrect"]);
});
