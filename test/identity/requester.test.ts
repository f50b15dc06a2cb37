import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../src/db/records.ts";
import { changePassword } from "../../src/features/password/change-password.ts";
import { setUp } from "../../src/features/setup/set-up.ts";
import { signIn } from "../../src/features/sign-in/sign-in.ts";
import {
  createNetworkRequester,
  createSetupRequester,
  createUserRequester,
  OPERATOR,
} from "../../src/identity/requester.ts";
import { isClientGone } from "../../src/lib/fault.ts";
import { createCoreServices } from "../support/core-services.ts";
import { OWNER } from "../support/gate.ts";

test("counts password changes for user and network, sign-ins for the network", () => {
  const client = { remoteAddress: "2001:db8::1", signal: undefined };
  const network = "2001:db8::/64";
  assert.deepEqual(createNetworkRequester(client).shares, [network]);
  const { turn, shares } = createUserRequester(client, "7" as UserId);
  assert.deepEqual([turn, shares], ["user 7", ["user 7", network]]);
  assert.deepEqual(createSetupRequester(client).shares, []);
  assert.deepEqual(OPERATOR, { turn: "operator", shares: [] });
});

const noToken = { read: async () => undefined, delete: async () => {} };
const GONE = { remoteAddress: "192.0.2.1", signal: AbortSignal.abort() };

test("no rule hashes for a client that has disconnected", async (t) => {
  const ports = await createCoreServices(t);
  const typed = { ...OWNER, confirm: OWNER.password, token: "", domain: "" };
  const setUpPorts = { ...ports, setupToken: noToken, setUpDomain: undefined };
  await assert.rejects(setUp(setUpPorts, typed, GONE), isClientGone);
  assert.equal(await ports.store.users.any(), false);

  const { id, passwordHash } = await ports.insertOwner();
  await assert.rejects(signIn(ports, { ...OWNER, ...GONE }), isClientGone);
  const change = {
    currentPassword: OWNER.password,
    newPassword: "a new password",
    confirmPassword: "a new password",
  };
  await assert.rejects(changePassword(ports, id, change, GONE), isClientGone);
  assert.equal((await ports.store.users.find(id))?.passwordHash, passwordHash);
  assert.deepEqual(await ports.writtenEntries(), []);
});
