import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../../src/db/records.ts";
import { revokeKey } from "../../../src/features/keys/manage-keys.ts";
import { changePassword } from "../../../src/features/password/change-password.ts";
import {
  endAllSessions,
  endUserSessions,
  removeCodes,
  removeFactors,
  removeUser,
  renameUser,
  resetPassword,
} from "../../../src/features/people/accounts.ts";
import { changePerson } from "../../../src/features/people/change-person.ts";
import { setGroups } from "../../../src/features/people/set-groups.ts";
import {
  createAuthenticateToken,
  createSessionCache,
  getAdmittedUser,
} from "../../../src/identity/authenticate-session.ts";
import { NO_SIGN_OUTS } from "../../support/core-services.ts";
import { createAccountServices, type TestAccountServices } from "./account-services.ts";

const PASSWORD = "the password of the owner";
const NEW = "another long password";
const LOST = new Error("the connection is lost");

/** The store makes the change, and its answer is lost. */
const losing =
  <Args extends unknown[]>(change: (...args: Args) => Promise<unknown>) =>
  async (...args: Args): Promise<never> => {
    await change(...args);
    throw LOST;
  };

async function scene(t: TestContext) {
  const ports = await createAccountServices(t, "guest", "owner");
  const id = await ports.idOf("owner");
  const { tokens, credentialCache, clock, store } = ports;
  const guard = createAuthenticateToken(tokens, createSessionCache(credentialCache), clock, {
    store: store.sessions,
    pendingSignOuts: NO_SIGN_OUTS,
  });
  const token = tokens.issue(id).text;
  return { ports, id, see: async () => getAdmittedUser(await guard(token)) };
}

test("a guard sees new groups at once although the answer of the store was lost", async (t) => {
  const { ports, id, see } = await scene(t);
  const user = { id, username: "owner" };
  assert.deepEqual(await see(), user);
  t.mock.method(ports.store.users, "setGroups", losing(ports.store.users.setGroups));
  await assert.rejects(setGroups(ports, id, ["family"]), LOST);
  assert.deepEqual(await see(), { ...user, groups: ["family"] });
});

/** Each change of an account by the operation of the store that makes it. */
const changes: readonly (readonly [
  part: "users" | "codes" | "keys",
  operation: string,
  change: (ports: TestAccountServices, id: UserId) => Promise<unknown>,
])[] = [
  ["users", "setGroups", (ports, id) => setGroups(ports, id, [])],
  ["users", "rename", (ports, id) => renameUser(ports, id, "me")],
  ["users", "change", (ports, id) => changePerson(ports, id, { username: "me" })],
  ["users", "replaceHash", (ports, id) => resetPassword(ports, id, NEW)],
  [
    "users",
    "replaceHash",
    (ports, id) =>
      changePassword(
        ports,
        id,
        { currentPassword: PASSWORD, newPassword: NEW, confirmPassword: NEW },
        { remoteAddress: "192.0.2.1" },
      ),
  ],
  ["users", "remove", (ports, id) => removeUser(ports, id)],
  ["users", "endSessions", (ports, id) => endUserSessions(ports, id)],
  ["users", "endAllSessions", (ports) => endAllSessions(ports)],
  ["codes", "turnOff", (ports, id) => removeCodes(ports, id)],
  ["codes", "endFactors", (ports, id) => removeFactors(ports, id)],
  ["keys", "remove", (ports) => revokeKey(ports, "an ID")],
];

for (const [at, [part, operation, change]] of changes.entries()) {
  test(`drops the account from the cache if the answer of ${part}.${operation} is lost (${at + 1})`, async (t) => {
    const { ports, id, see } = await scene(t);
    const [, owner] = await ports.accounts();
    assert.ok(owner);
    const hash = await ports.passwords.hash(PASSWORD);
    assert.ok(await ports.store.users.replaceHash(id, owner.passwordHash, hash));
    await see();
    const read = t.mock.method(ports.store.sessions, "findUser");
    await see();
    assert.equal(read.mock.callCount(), 0, "from the cache");
    t.mock.method(
      ports.store[part],
      operation as never,
      (async () => {
        throw LOST;
      }) as never,
    );
    await assert.rejects(change(ports, id), LOST);
    await see();
    assert.equal(read.mock.callCount(), 1);
  });
}
