import { setImmediate as turn } from "node:timers/promises";
import type { Store, StoredUser, UserId } from "../../src/core/store.ts";

/** What can be wrong with a store, by the rule of the suite that has to find it. */
export const flaws = {
  "of 64 who come at once over eight connections, one becomes the first user":
    "looks, then inserts",
  "of 16 replacements at once over several connections, one is made": "looks, then replaces",
  "a username is matched exactly: case": "folds ASCII case",
  "what insertFirstUser answers with has no hash in it": "tells the hash",
  "a log entry without a time that exists is refused": "takes any entry",
} as const;

type Flaw = (typeof flaws)[keyof typeof flaws];

/** The least that a store can be, without a log that can be read; and the flaw that it is to have. */
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
      if (flaw === "looks, then inserts") await turn();
      const user = { id: `user ${users.length}` as UserId, username };
      users.push({ ...user, passwordHash });
      return flaw === "tells the hash" ? { ...user, passwordHash } : user;
    },

    async replacePasswordHash(id, from, to) {
      const at = users.findIndex((user) => user.id === id && user.passwordHash === from);
      if (flaw === "looks, then replaces") await turn();
      const user = users[at];
      if (user === undefined) return false;
      users[at] = { ...user, passwordHash: to };
      return true;
    },

    async insertLogEntries(entries) {
      if (flaw === "takes any entry") return;
      for (const { at } of entries) at.toISOString();
    },
  };
}
