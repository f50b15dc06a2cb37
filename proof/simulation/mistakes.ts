import { setTimeout as sleep } from "node:timers/promises";
import type { Requester } from "../../src/core/base/work-queue.ts";
import { OPERATOR } from "../../src/core/limits/requester.ts";
import type { Device, StoredUser } from "../../src/core/records.ts";
import type { Store, UserStore } from "../../src/core/store.ts";
import { linkMistakes, WITHIN_MS } from "./mistakes-of-links.ts";

/** An error that is put back, into the store or into the queue of the hashes. */
export interface Mistake {
  readonly store?: (store: Store) => Store;
  readonly servedAs?: (requester: Requester) => Requester;
}

const storeMistakes: Readonly<Record<string, (store: Store) => Store>> = {
  "the end of all others removes the recorded sessions only": (store) =>
    withUsers(store, {
      async endSessions(id, before) {
        const sessions = (await store.sessions?.listOf(id, new Date(0), 1_000)) ?? [];
        for (const session of sessions) await store.sessions?.end(session, new Date(0));
        return { sessionsFrom: before, asker: "was-valid" };
      },
    }),

  "a user is read once and remembered for ever": (store) => {
    const known = new Map<string, StoredUser>();
    return changeReadUsers(store, (user) => {
      const first = known.get(user.id) ?? user;
      known.set(user.id, first);
      return first;
    });
  },

  "the groups of a user are read once": (store) => {
    const known = new Map<string, readonly string[] | undefined>();
    return changeReadUsers(store, ({ groups, ...user }) => {
      if (!known.has(user.id)) known.set(user.id, groups);
      const first = known.get(user.id);
      return first === undefined ? user : { ...user, groups: first };
    });
  },

  "a shared limiter allows an attempt too many": (store) => {
    const { attempts } = store;
    if (attempts === undefined) return store;
    const record: typeof attempts.record = (address, rule) =>
      attempts.record(address, { ...rule, attempts: rule.attempts + 1 });
    return { ...store, attempts: { ...attempts, record } };
  },

  "an ended session is forgotten while a clock that is behind admits it": (store) => {
    const { sessions } = store;
    if (sessions === undefined) return store;
    const insert: typeof sessions.insert = ({ createdAt, ...session }) =>
      sessions.insert({ ...session, createdAt: new Date(createdAt.getTime() + 120_000) });
    return { ...store, sessions: { ...sessions, insert } };
  },

  "an ended session is never reported": (store) =>
    store.sessions === undefined
      ? store
      : {
          ...store,
          sessions: {
            ...store.sessions,
            hasEnded: async () => false,
            findUser: async (_, user) => store.users.find(user),
          },
        },

  "a handoff is read and removed in two steps": (store) => {
    const { sessions } = store;
    if (sessions === undefined) return store;
    const codes = new Map<string, Awaited<ReturnType<typeof sessions.takeHandoff>>>();
    return {
      ...store,
      sessions: {
        ...sessions,
        async handOff(handoff) {
          codes.set(handoff.id, handoff);
        },
        async takeHandoff(id) {
          const found = codes.get(id);
          await sleep(WITHIN_MS);
          codes.delete(id);
          return found;
        },
      },
    };
  },

  "a remembered device counts for ever": (store) => {
    const { devices } = store;
    if (devices === undefined) return store;
    const known = new Map<string, Device>();
    return {
      ...store,
      devices: {
        ...devices,
        async insert(device) {
          known.set(device.id, device);
          await devices.insert(device);
        },
        find: async (id) => known.get(id),
      },
    };
  },

  "the end of an account is not read": (store) =>
    changeReadUsers(store, ({ endsAt: _, ...user }) => user),

  "the answer to a challenge is not claimed": (store) =>
    store.passkeys === undefined
      ? store
      : { ...store, passkeys: { ...store.passkeys, answer: async () => true } },

  "a recovery code is not used up": (store) =>
    store.codes === undefined
      ? store
      : { ...store, codes: { ...store.codes, useRecovery: async () => true } },

  "a key is read once": (store) => {
    const { keys } = store;
    if (keys === undefined) return store;
    const known = new Map<string, ReturnType<typeof keys.find>>();
    const find: typeof keys.find = (hash) => {
      const found = known.get(hash) ?? keys.find(hash);
      known.set(hash, found);
      return found;
    };
    return { ...store, keys: { ...keys, find } };
  },

  "a batch of log entries is written in reverse": (store) => ({
    ...store,
    log: { ...store.log, insert: (entries) => store.log.insert(entries.toReversed()) },
  }),

  "a setup checks and inserts in two steps": (store) =>
    withUsers(store, {
      async insertFirst(user) {
        if (await store.users.any()) return undefined;
        await sleep(WITHIN_MS);
        return store.users.insert(user);
      },
    }),

  "a new password replaces any other": (store) =>
    withUsers(store, {
      async replaceHash(id, _from, to) {
        await sleep(WITHIN_MS);
        const user = await store.users.find(id);
        return user !== undefined && store.users.replaceHash(id, user.passwordHash, to);
      },
    }),
};

/** The simulation must find each. */
export const mistakes: Readonly<Record<string, Mistake>> = {
  ...Object.fromEntries(
    Object.entries({ ...storeMistakes, ...linkMistakes }).map(([name, store]) => [name, { store }]),
  ),

  "the hash queue does not tell clients apart": { servedAs: () => OPERATOR },
};

/** The same store, which changes each user that it reads by an ID, a session or a key. */
const changeReadUsers = (store: Store, change: (user: StoredUser) => StoredUser): Store => {
  const { users, sessions, keys } = store;
  return {
    ...store,
    users: {
      ...users,
      async find(id) {
        const user = await users.find(id);
        return user && change(user);
      },
    },
    sessions: {
      ...sessions,
      async findUser(id, userId) {
        const user = await sessions.findUser(id, userId);
        return user && change(user);
      },
    },
    keys: {
      ...keys,
      async find(hash) {
        const found = await keys.find(hash);
        return found && { ...found, user: change(found.user) };
      },
    },
  };
};

const withUsers = (store: Store, users: Partial<UserStore>): Store => ({
  ...store,
  users: { ...store.users, ...users },
});
