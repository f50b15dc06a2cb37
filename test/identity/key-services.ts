import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { NewAuditEvent } from "../../src/audit/events.ts";
import type { Key, StoredUser, User } from "../../src/db/records.ts";
import type { StoreParts } from "../../src/db/store.ts";
import { type AddedKey, addKey } from "../../src/features/keys/manage-keys.ts";
import { createAttemptLimiter } from "../../src/identity/attempt-limiter.ts";
import { createAuthenticateKey, type KeyRequest } from "../../src/identity/authenticate-key.ts";
import { type CoreServices, createCoreServices } from "../support/core-services.ts";
import { hashText } from "../support/store.ts";

export interface TestKeyServices extends CoreServices {
  readonly owner: StoredUser;
  readonly recorded: NewAuditEvent[];
  /** The store with these changes, as the guard sees it. */
  guardWith(changes?: Partial<StoreParts["keys"]>): ReturnType<typeof createAuthenticateKey>;
  add(
    fields?: Partial<AddedKey>,
    user?: User,
  ): Promise<{ readonly text: string; readonly key: Key }>;
}

/** The ports of the rules of keys, and an account. */
export async function keyPorts(t: TestContext): Promise<TestKeyServices> {
  const ports = await createCoreServices(t);
  const owner = await ports.insertOwner(hashText("a hash"));
  const recorded: NewAuditEvent[] = [];
  const changing = { ...ports, record: (event: NewAuditEvent) => recorded.push(event) };
  return {
    ...ports,
    owner,
    recorded,
    guardWith: (changes = {}) =>
      createAuthenticateKey({
        ...ports,
        store: { ...ports.store.keys, ...changes },
        keyLimiter: createAttemptLimiter(ports.clock),
        limitIpv6Prefix: 64,
      }),
    async add(fields = {}, user = owner) {
      const outcome = await addKey(changing, user, { name: "feeds", ...fields });
      assert.equal(outcome.kind, "added");
      return outcome;
    },
  };
}

/** What the guard reads of a request. */
export const from = (address: string | undefined, host?: string): KeyRequest => ({
  host: () => host,
  address: () => address,
});
