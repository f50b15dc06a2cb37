import { setTimeout as sleep } from "node:timers/promises";
import type { Store, UserStore } from "../../src/core/store.ts";

/** The time between two statements that should be one. */
const WITHIN_MS = 5;

/** Errors that are put back in a store, to see that the simulation finds each. */
export const mistakes: Readonly<Record<string, (store: Store) => Store>> = {
  "the end of all others removes the recorded sessions only": (store) =>
    withUsers(store, {
      async endSessions(id, before) {
        const sessions = (await store.sessions?.listOf(id, new Date(0), 1_000)) ?? [];
        for (const session of sessions) await store.sessions?.end(session, new Date(0));
        return { sessionsFrom: before, asker: "was-valid" };
      },
    }),

  "a user is read once and remembered for ever": (store) => {
    const known = new Map<string, ReturnType<UserStore["find"]>>();
    return withUsers(store, {
      async find(id) {
        const found = known.get(id) ?? store.users.find(id);
        known.set(id, found);
        return found;
      },
    });
  },

  "the end of a session is not asked for": (store) =>
    store.sessions === undefined
      ? store
      : { ...store, sessions: { ...store.sessions, hasEnded: async () => false } },

  "the answer to a challenge is not claimed": (store) =>
    store.passkeys === undefined
      ? store
      : { ...store, passkeys: { ...store.passkeys, answer: async () => true } },

  "a recovery code is not used up": (store) =>
    store.codes === undefined
      ? store
      : { ...store, codes: { ...store.codes, useRecovery: async () => true } },

  "a link makes an account before it is used up": (store) =>
    store.links === undefined
      ? store
      : {
          ...store,
          links: {
            ...store.links,
            use: async (_link, account) => (await store.users.insert(account)) ?? "taken",
          },
        },

  "a setup checks first and inserts then": (store) =>
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

const withUsers = (store: Store, users: Partial<UserStore>): Store => ({
  ...store,
  users: { ...store.users, ...users },
});
