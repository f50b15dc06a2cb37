import type { TestContext } from "node:test";
import type { NewAuditEvent } from "../../../src/audit/events.ts";
import type { StoredUser, UserId } from "../../../src/db/records.ts";
import { type CoreServices, createCoreServices } from "../../support/core-services.ts";
import { hashText } from "../../support/store.ts";

export interface TestAccountServices extends CoreServices {
  readonly setupToken: { deletions: number; delete(): Promise<void> };
  record(event: NewAuditEvent): Promise<void>;
  /** The recorded events. */
  readonly recorded: NewAuditEvent[];
  /** The ID of an account; an unknown one for an unknown username. */
  idOf(username: string): Promise<UserId>;
  /** All accounts, sorted by username. */
  accounts(): Promise<readonly StoredUser[]>;
}

/** The ports of the account rules, with a real store that has these accounts. */
export async function createAccountServices(
  t: TestContext,
  ...usernames: readonly string[]
): Promise<TestAccountServices> {
  const ports = await createCoreServices(t);
  const { store } = ports;
  for (const username of usernames) {
    await store.users.insert({ username, passwordHash: hashText(`hash of ${username}`) });
  }
  const recorded: NewAuditEvent[] = [];
  return {
    ...ports,
    setupToken: {
      deletions: 0,
      async delete() {
        this.deletions += 1;
      },
    },
    recorded,
    idOf: async (username) => (await store.users.findByName(username))?.id ?? ("unknown" as UserId),
    record: async (event) => void recorded.push(event),
    async accounts() {
      const users = await store.users.read("", 100);
      return [...users].sort((a, b) => (a.username < b.username ? -1 : 1));
    },
  };
}
