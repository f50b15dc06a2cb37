import { setTimeout as sleep } from "node:timers/promises";
import { toPublicUser } from "../../src/db/records.ts";
import type { Store, StoreParts } from "../../src/db/store.ts";

/** The time between two statements that should be one. */
export const WITHIN_MS = 5;

/** Errors of one-time links. */
export const linkMistakes: Readonly<Record<string, () => (store: Store) => Store>> = {
  "a link makes an account and is not used up": () => (store) =>
    withLinks(store, ({ use }) => ({
      use: async (link, account, now) =>
        link.userId ? use(link, account, now) : ((await store.users.insert(account)) ?? "taken"),
    })),

  "a link is read and removed in two steps": () => (store) =>
    withLinks(store, ({ find, use, revoke }) => ({
      async use(link, account, now) {
        if (link.userId || link.usesLeft > 1) return use(link, account, now);
        if ((await find(link.tokenHash, now)) === undefined) return "gone";
        await sleep(WITHIN_MS);
        const user = await store.users.insert(account);
        if (user !== undefined) await revoke(link.id, now);
        return user ?? "taken";
      },
    })),

  "a link for a new password leaves the sessions": () => (store) =>
    withLinks(store, ({ use, revoke }) => ({
      async use(link, account, now) {
        const user = link.userId && (await store.users.find(link.userId));
        if (!user) return use(link, account, now);
        if ((await revoke(link.id, now)) === undefined) return "gone";
        await store.users.replaceHash(user.id, user.passwordHash, account.passwordHash);
        return toPublicUser(user);
      },
    })),

  "a link for a new password leaves the others": () => (store) =>
    withLinks(store, ({ read, insert, use }) => ({
      async use(link, account, now) {
        const open = await read("", 1_000, now);
        const user = await use(link, account, now);
        const others = open.filter(({ id, userId }) => userId === link.userId && id !== link.id);
        if (link.userId && typeof user === "object") await Promise.all(others.map(insert));
        return user;
      },
    })),

  "a password that is set leaves the links": () => (store) => ({
    ...store,
    users: {
      ...store.users,
      replaceHash: (id, from, to) => store.users.replaceHash(id, from, to, "links"),
    },
  }),

  "every link for a new password turns codes off": () => (store) =>
    withLinks(store, ({ use }) => ({
      use: (link, account, now) =>
        use(link.userId ? { ...link, purpose: "reset-codes-off" } : link, account, now),
    })),

  "a taken name uses up an invitation": () => (store) =>
    withLinks(store, ({ use, revoke }) => ({
      async use(link, account, now) {
        const user = await use(link, account, now);
        if (user === "taken") await revoke(link.id, now);
        return user;
      },
    })),

  "a link that has expired can be used": () => (store) =>
    withLinks(store, ({ find, use }) => ({
      find: (tokenHash) => find(tokenHash, new Date(0)),
      use: (link, account) => use(link, account, new Date(0)),
    })),
};

const withLinks = (
  store: Store,
  change: (links: StoreParts["links"]) => Partial<StoreParts["links"]>,
): Store => ({
  ...store,
  links: { ...store.links, ...change(store.links) },
});
