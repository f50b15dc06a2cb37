import { setImmediate as turn } from "node:timers/promises";
import { nameKeyOf } from "../../src/core/base/names.ts";
import type { LogEntry, NewUser, StoredUser, UserId } from "../../src/core/records.ts";
import type { LogFilter, Store } from "../../src/core/store.ts";

/** Flaws of a store, by the rule of the suite that must detect each. */
export const flaws = {
  "inserts one first user in a race of 64 calls": "checks before inserting",
  "makes one of 16 concurrent replacements": "checks before replacing",
  "matches a username exactly: case": "folds ASCII case",
  "returns no hash of a new user": "returns the hash",
  "inserts a whole batch or nothing, and the next batch works": "accepts any entry",
} as const;

type Flaw = (typeof flaws)[keyof typeof flaws];

/** A store in memory with users and a log alone, and with the given flaw. */
export function memoryStore(flaw?: Flaw): Store {
  const users = new Map<string, StoredUser>();
  let entries: readonly LogEntry[] = [];
  let lastId = 0;
  const key = (name: string): string =>
    flaw === "folds ASCII case" ? name.replace(/[A-Z]/g, (c) => c.toLowerCase()) : name;
  const named = (name: string) =>
    [...users.values()].find(({ username }) => key(username) === key(name));
  /** The IDs of those who had a name first. */
  const holders = new Map<string, string>();

  /** Whether the name is free for this account, which then has it. */
  function claim(name: string, id: string): boolean {
    const holder = holders.get(nameKeyOf(name)) ?? id;
    holders.set(nameKeyOf(name), holder);
    return holder === id;
  }

  function change(id: string, fields: Partial<StoredUser>): boolean {
    const user = users.get(id);
    if (user !== undefined) users.set(id, { ...user, ...fields });
    return user !== undefined;
  }

  function insert({ username, passwordHash }: NewUser) {
    const user = { id: `user ${lastId + 1}` as UserId, username };
    if (!claim(username, user.id)) return undefined;
    lastId += 1;
    users.set(user.id, { ...user, passwordHash });
    return user;
  }

  function endSessions(id: string, before: number): number | undefined {
    const from = users.get(id)?.sessionsFrom ?? 0;
    const sessionsFrom = from < before ? before : from + 1;
    return change(id, { sessionsFrom }) ? sessionsFrom : undefined;
  }

  const matching = ({ type, since }: LogFilter) =>
    entries.filter((one) => (type ?? one.type) === one.type && (since ?? one.at) <= one.at);
  const remove = (removed: readonly LogEntry[]): number => {
    entries = entries.filter((one) => !removed.includes(one));
    return removed.length;
  };

  const isLastAdmin = (id: string): boolean => {
    const admins = [...users.values()].filter(({ groups }) => groups?.includes("admins"));
    return admins.length === 1 && admins[0]?.id === id;
  };

  return {
    users: {
      any: async () => users.size > 0,
      find: async (id) => users.get(id),
      findByName: async (username) => named(username),
      read: async (afterId, limit) =>
        [...users.values()]
          .filter(({ id }) => id > afterId)
          .sort((one, other) => (one.id < other.id ? -1 : 1))
          .slice(0, limit),
      async insertFirst(user) {
        if (users.size > 0) return undefined;
        if (flaw === "checks before inserting") await turn();
        const inserted = insert(user);
        return flaw === "returns the hash" && inserted ? { ...user, ...inserted } : inserted;
      },
      insert: async (user) => insert(user),
      async rename(id, username) {
        if (!users.has(id)) return "missing";
        if (!claim(username, id)) return "taken";
        change(id, { username });
        return "renamed";
      },
      isNameUsed: async (username) => holders.has(nameKeyOf(username)),
      forgetName: async (username) => holders.delete(nameKeyOf(username)),
      async remove(id, keep) {
        if (!users.has(id)) return "missing";
        if (users.size === 1) return "last";
        if (keep !== undefined && isLastAdmin(id)) return "last-admin";
        users.delete(id);
        return "removed";
      },
      async setGroups(id, groups, keep) {
        const { groups: _, ...user } = users.get(id) ?? {};
        if (!("id" in user)) return "missing";
        if (keep !== undefined && !groups.includes("admins") && isLastAdmin(id))
          return "last-admin";
        users.set(
          id,
          groups.length === 0 ? (user as StoredUser) : { ...(user as StoredUser), groups },
        );
        return "set";
      },
      async replaceHash(id, from, passwordHash) {
        const isFrom = users.get(id)?.passwordHash === from;
        if (flaw === "checks before replacing") await turn();
        return isFrom && change(id, { passwordHash });
      },
      async endSessions(id, before, asker) {
        const was = users.get(id)?.sessionsFrom ?? 0;
        const sessionsFrom = endSessions(id, before);
        if (sessionsFrom === undefined) return undefined;
        const isValid = asker !== undefined && was <= asker.validUpTo;
        return { sessionsFrom, asker: isValid ? "was-valid" : "had-ended" };
      },
      endAllSessions: async (before) =>
        [...users.keys()].map((id) => endSessions(id, before)).length,
    },
    log: {
      async insert(added) {
        if (flaw !== "accepts any entry") for (const { at } of added) at.toISOString();
        const start = (entries.at(-1)?.id ?? 0) + 1;
        entries = [...entries, ...added.map((one, n) => ({ ...one, id: start + n }))];
      },
      read: async ({ afterId, limit, ...filter }) =>
        matching(filter)
          .filter(({ id }) => id > afterId)
          .slice(0, limit),
      newest: async ({ userId, beforeId = Infinity, limit, ...filter }) =>
        matching(filter)
          .filter((one) => one.id < beforeId && (userId ?? one.userId) === one.userId)
          .reverse()
          .slice(0, limit),
      prune: async (before, limit) =>
        remove(entries.filter(({ at }) => at < before).slice(0, limit)),
      async pruneType(type, keep, limit) {
        const all = matching({ type });
        return remove(all.slice(0, Math.max(0, all.length - keep)).slice(0, limit));
      },
    },
  };
}
