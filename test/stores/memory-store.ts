import { setImmediate as turn } from "node:timers/promises";
import type { Store, StoredUser, UserId } from "../../src/core/store.ts";

/** Flaws of a store, by the rule of the suite that must detect each. */
export const flaws = {
  "inserts one first user in a race of 64 calls": "checks before inserting",
  "makes one of 16 concurrent replacements": "checks before replacing",
  "matches a username exactly: case": "folds ASCII case",
  "insertFirstUser returns no hash": "returns the hash",
  "refuses a log entry with an invalid time": "accepts any entry",
} as const;

type Flaw = (typeof flaws)[keyof typeof flaws];

/** A minimal store in memory that cannot read its log, with the given flaw. */
export function memoryStore(flaw?: Flaw): Store {
  const users: StoredUser[] = [];
  const copyOf = (user: StoredUser | undefined) => user && { ...user };
  const key = (name: string): string =>
    flaw === "folds ASCII case" ? name.replace(/[A-Z]/g, (c) => c.toLowerCase()) : name;

  return {
    hasUsers: async () => users.length > 0,
    findUser: async (id) => copyOf(users.find((user) => user.id === id)),
    findUserByUsername: async (username) =>
      copyOf(users.find((user) => key(user.username) === key(username))),

    async insertFirstUser({ username, passwordHash }) {
      if (users.length > 0) return undefined;
      if (flaw === "checks before inserting") await turn();
      const user = { id: `user ${users.length}` as UserId, username };
      users.push({ ...user, passwordHash });
      return flaw === "returns the hash" ? { ...user, passwordHash } : user;
    },

    async replacePasswordHash(id, from, to) {
      const at = users.findIndex((user) => user.id === id && user.passwordHash === from);
      if (flaw === "checks before replacing") await turn();
      const user = users[at];
      if (user === undefined) return false;
      users[at] = { ...user, passwordHash: to };
      return true;
    },

    async insertLogEntries(entries) {
      if (flaw === "accepts any entry") return;
      for (const { at } of entries) at.toISOString();
    },
  };
}
