import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewAuditEvent } from "../../../src/audit/events.ts";
import type { UserId } from "../../../src/db/records.ts";
import { beginCodes, confirmCodes } from "../../../src/features/codes/manage-codes.ts";
import { computeCode, getStep } from "../../../src/features/codes/totp.ts";
import { createChallenges } from "../../../src/features/passkeys/challenges.ts";
import { addPasskey, beginPasskey } from "../../../src/features/passkeys/manage-passkeys.ts";
import { removeCodes, removeFactors } from "../../../src/features/people/accounts.ts";
import { signIn } from "../../../src/features/sign-in/sign-in.ts";
import {
  createAuthenticateToken,
  createSessionCache,
} from "../../../src/identity/authenticate-session.ts";
import { createAuthenticator } from "../../support/authenticator.ts";
import { NO_SIGN_OUTS } from "../../support/core-services.ts";
import { OWNER, SECRET } from "../../support/gate.ts";
import { decodeBase32 } from "../../support/one-time-codes.ts";
import { CLIENT, type CodesScene, withCodes } from "../codes/codes-services.ts";
import { added, FROM } from "../passkeys/passkey-services.ts";

/** An operator who removes the factors of an account. */
function operator({ ports, user }: CodesScene) {
  const recorded: NewAuditEvent[] = [];
  const record = async (event: NewAuditEvent) => void recorded.push(event);
  return {
    recorded,
    id: user.id,
    off: (id: UserId) => removeCodes({ ...ports, record }, id),
    end: (id: UserId) => removeFactors({ ...ports, record }, id),
  };
}

test("an operator removes codes, or them and passkeys, and logs it", async (t) => {
  const scene = await withCodes(t);
  const { ports, user, codes } = scene;
  const { recorded, end, off } = operator(scene);
  await added({ ...ports, challenges: createChallenges([SECRET], ports.clock) }, user.id);
  for (const change of [end, off]) assert.equal(await change("unknown" as UserId), "no-user");
  assert.deepEqual(recorded, []);
  assert.equal(await end(user.id), "ended");
  assert.equal(await codes(), undefined);
  assert.deepEqual(await ports.store.passkeys.listOf(user.id), []);
  assert.equal(await off(user.id), "already-off");
  const other = operator(await withCodes(t));
  assert.equal(await other.off(other.id), "off");
  const told = [...recorded, ...other.recorded].map(({ type, userId }) => [type, userId]);
  assert.deepEqual(told, [
    ["factors_off", user.id],
    ["codes_off", other.id],
  ]);
});

test("no passkey and no codes that were begun before are added after it", async (t) => {
  const scene = await withCodes(t);
  const { user } = scene;
  const ports = { ...scene.ports, challenges: createChallenges([SECRET], scene.ports.clock) };
  const { passkeys } = ports.store;
  const { end } = operator(scene);
  const answer = async () => {
    const begun = await beginPasskey(ports, user.id);
    assert.ok(begun.kind === "begun");
    return createAuthenticator().create(begun.challenge);
  };
  const [late, later] = [await answer(), await answer()];
  const whileEnding: typeof passkeys = {
    ...passkeys,
    async insert(...given) {
      await end(user.id);
      return passkeys.insert(...given);
    },
  };
  const store = { users: ports.store.users, passkeys: whileEnding };
  assert.equal(await addPasskey({ ...ports, store }, user.id, late, FROM), "rejected");
  assert.equal(await addPasskey(ports, user.id, later, FROM), "rejected");
  assert.equal(await addPasskey(ports, user.id, await answer(), FROM), "added", "begun after it");

  const begun = await beginCodes(ports, user.id);
  assert.ok(begun.kind === "begun");
  await end(user.id);
  const { sealed, secret } = begun.begun;
  const form = { sealed, code: computeCode(decodeBase32(secret), getStep(ports.clock.now())) };
  assert.equal((await confirmCodes(ports, user.id, form, CLIENT)).kind, "not-begun");
  assert.equal(await scene.codes(), undefined);
});

test("a sign-in that was half done opens no session and remembers no device", async (t) => {
  const scene = await withCodes(t);
  const { ports, user, code } = scene;
  const { end } = operator(scene);
  const attempt = { ...OWNER, ...CLIENT };
  const first = await signIn(ports, { ...attempt, code: code(), remembersDevice: true });
  assert.ok(first.kind === "signed-in" && first.device !== undefined);
  const { device } = first;
  const verify: typeof ports.passwords.verify = async (...given) => {
    await end(user.id);
    return ports.passwords.verify(...given);
  };
  const slow = { ...ports, passwords: { ...ports.passwords, verify } };
  const half = await signIn(slow, { ...attempt, device });
  assert.ok(half.kind === "signed-in", "the device was remembered when it began");
  const guard = createAuthenticateToken(
    ports.tokens,
    createSessionCache(ports.credentialCache),
    ports.clock,
    {
      store: ports.store.sessions,
      pendingSignOuts: NO_SIGN_OUTS,
    },
  );
  for (const { token } of [first, half])
    assert.equal((await guard(token.text)).kind, "needs-sign-in");
  const byPassword = await signIn(ports, { ...attempt, remembersDevice: true });
  assert.ok(byPassword.kind === "signed-in" && byPassword.device === undefined);
  assert.equal((await guard(byPassword.token.text)).kind, "admitted");
  assert.equal(await ports.store.devices.find(device, new Date(ports.clock.now())), undefined);
});
