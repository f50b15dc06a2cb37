import { setTimeout as sleep } from "node:timers/promises";
import type { FoundKey } from "../../src/db/queries/keys.ts";
import { type Device, type Handoff, hasEnded, type StoredUser } from "../../src/db/records.ts";
import type { Store, StoreParts } from "../../src/db/store.ts";
import { OPERATOR } from "../../src/identity/requester.ts";
import type { Requester } from "../../src/lib/work-queue.ts";
import { appMistakes } from "./mistakes-of-apps.ts";
import { linkMistakes, WITHIN_MS } from "./mistakes-of-links.ts";

/** An error that is put back, into the stores of all gates or into the queue of the hashes. */
export interface Mistake {
  readonly store?: StoreMistake;
  readonly servedAs?: (requester: Requester) => Requester;
}

/** Returns what changes the store of each gate. What it remembers, all of them share. */
export type StoreMistake = () => (store: Store) => Store;

const storeMistakes: Readonly<Record<string, StoreMistake>> = {
  "the end of all others removes the recorded sessions only": () => (store) =>
    withUsers(store, {
      async endSessions(id, before) {
        for (const session of await store.sessions.listOf(id, new Date(0), 1_000))
          await store.sessions.end(session, new Date(0));
        return { sessionsFrom: before, asker: "was-valid" };
      },
    }),

  "a user is read once and remembered for ever": () => {
    const known = new Map<string, StoredUser>();
    return (store) =>
      changeReadUsers(store, (user) => {
        const first = known.get(user.id) ?? user;
        known.set(user.id, first);
        return first;
      });
  },

  "the groups of a user are read once": () => {
    const known = new Map<string, readonly string[] | undefined>();
    return (store) =>
      changeReadUsers(store, ({ groups, ...user }) => {
        if (!known.has(user.id)) known.set(user.id, groups);
        const first = known.get(user.id);
        return first === undefined ? user : { ...user, groups: first };
      });
  },

  "a shared limiter allows an attempt too many": () => (store) => {
    const { attempts } = store;
    if (attempts === undefined) return store;
    const record: typeof attempts.record = (address, rule) =>
      attempts.record(address, { ...rule, attempts: rule.attempts + 1 });
    return { ...store, attempts: { ...attempts, record } };
  },

  "an ended session is forgotten while a clock that is behind admits it": () => (store) => {
    const insert: StoreParts["sessions"]["insert"] = ({ createdAt, ...session }) =>
      store.sessions.insert({ ...session, createdAt: new Date(createdAt.getTime() + 120_000) });
    return { ...store, sessions: { ...store.sessions, insert } };
  },

  "an ended session is never reported": () => (store) => ({
    ...store,
    sessions: {
      ...store.sessions,
      hasEnded: async () => false,
      findUser: async (_, user) => store.users.find(user),
    },
  }),

  "a handoff is read and removed in two steps": () => {
    const codes = new Map<string, Handoff>();
    return (store) => ({
      ...store,
      sessions: {
        ...store.sessions,
        async insertHandoff(handoff, now) {
          await store.sessions.insertHandoff(handoff, now);
          codes.set(handoff.id, handoff);
        },
        async takeHandoff(id) {
          const found = codes.get(id);
          await store.sessions.takeHandoff(id);
          codes.delete(id);
          return found;
        },
      },
    });
  },

  "a remembered device counts for ever": () => {
    const known = new Map<string, Device>();
    return (store) => ({
      ...store,
      devices: {
        ...store.devices,
        async insert(device) {
          await store.devices.insert(device);
          known.set(device.id, device);
        },
        find: async (id) => known.get(id),
      },
    });
  },

  "the end of an account is not read": () => (store) =>
    changeReadUsers(store, ({ endsAt: _, ...user }) => user),

  "the answer to a challenge is not claimed": () => (store) => ({
    ...store,
    passkeys: { ...store.passkeys, claimChallenge: async () => true },
  }),

  "a recovery code is not used up": () => (store) => ({
    ...store,
    codes: { ...store.codes, useRecovery: async () => true },
  }),

  "a key is read once": () => {
    const known = new Map<string, FoundKey | undefined>();
    return (store) => ({
      ...store,
      keys: {
        ...store.keys,
        async find(hash) {
          const found = known.get(hash) ?? (await store.keys.find(hash));
          known.set(hash, found);
          return found;
        },
      },
    });
  },

  "a batch of log entries is written in reverse": () => (store) => ({
    ...store,
    log: { ...store.log, insert: (entries) => store.log.insert(entries.toReversed()) },
  }),

  "a setup checks and inserts in two steps": () => (store) =>
    withUsers(store, {
      async insertFirst(user) {
        if (await store.users.any()) return undefined;
        await sleep(WITHIN_MS);
        return store.users.insert(user);
      },
    }),

  "a new password replaces any other": () => (store) =>
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
    Object.entries({ ...storeMistakes, ...linkMistakes, ...appMistakes }).map(([name, store]) => [
      name,
      { store },
    ]),
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
      // Also what has ended, so that a mistake about the end shows.
      async findActive(id, now) {
        const user = await users.find(id);
        const changed = user && change(user);
        return changed && !hasEnded(changed, now.getTime()) ? changed : undefined;
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

const withUsers = (store: Store, users: Partial<StoreParts["users"]>): Store => ({
  ...store,
  users: { ...store.users, ...users },
});
