import { setTimeout as sleep } from "node:timers/promises";
import type { CurrentGrant } from "../../src/db/queries/grants.ts";
import type { App } from "../../src/db/records.ts";
import type { Store, StoreParts } from "../../src/db/store.ts";
import { WITHIN_MS } from "./mistakes-of-links.ts";

const EVERY_GROUP = ["admins", "family", "guests"];
const CACHED_MS = 5_000;

/** Errors of the provider, of the apps and of the messages to them. */
export const appMistakes: Readonly<Record<string, () => (store: Store) => Store>> = {
  "a code is read and used up in two steps": () => (store) => ({
    ...store,
    tokens: {
      ...store.tokens,
      async commit(changes, now) {
        for (const id of changes.consumed) {
          const token = await store.tokens.find(id);
          if (token === undefined || token.consumedAt !== undefined) return "already-used";
        }
        await sleep(WITHIN_MS);
        await store.tokens.commit({ consumed: [], written: changes.written }, now);
        for (const id of changes.consumed) await store.tokens.consume(id, now);
        return "committed";
      },
    },
  }),

  "a second use of a code leaves its grant": () => (store) =>
    withGrants(store, ({ remove }) => ({
      remove: async (filter) => (filter.id === undefined ? remove(filter) : 0),
    })),

  "a token is valid whatever the groups of its account": () => (store) =>
    withGrants(store, ({ findCurrent, findAllCurrent }) => ({
      async findCurrent(id, now) {
        const found = await findCurrent(id, now);
        return found && inEveryGroup(found);
      },
      findAllCurrent: async (ids, now) => (await findAllCurrent(ids, now)).map(inEveryGroup),
    })),

  "all apps are cached for five seconds": () => (store) => {
    let known: Promise<readonly App[]> | undefined;
    const forget = (): void => {
      known = undefined;
    };
    const list = async (): Promise<readonly App[]> => {
      if (known === undefined) {
        known = store.apps.list();
        known.catch(forget);
        void sleep(CACHED_MS).then(forget);
      }
      return known;
    };
    return { ...store, apps: { ...store.apps, list } };
  },

  "a grant does not end with its session": () => (store) =>
    withGrants(store, ({ insert }) => ({
      insert: (grant, signOut) => insert({ ...grant, offline: 1 }, signOut),
    })),

  "an offline grant outlives the end of all sessions": () => (store) =>
    withGrants(store, ({ insert }) => ({
      insert: (grant, signOut) =>
        insert(grant.offline ? { ...grant, validUpTo: 2 ** 40 } : grant, signOut),
    })),

  "a grant whose app was told of its end is used again": () => (store) =>
    withSignOuts(store, ({ end }) => ({
      async end(ids, at) {
        const grants = await Promise.all(ids.map((id) => store.grants.list({ id }, 1)));
        await end(ids, at);
        for (const grant of grants.flat()) await store.grants.insert(grant, undefined);
      },
    })),

  "access that is taken back leaves the grants": () => (store) => ({
    ...store,
    consents: { ...store.consents, remove: async () => true },
  }),

  "apps are not told that an account was removed": () => (store) =>
    withSignOuts(store, ({ listOpen, end }) => ({
      async end(ids, at) {
        const open = await listOpen("", 1_000);
        const isKnown = await Promise.all(
          ids.map(async (id) => {
            const userId = open.find((one) => one.id === id)?.userId;
            return userId !== undefined && (await store.users.find(userId)) !== undefined;
          }),
        );
        await end(
          ids.filter((_, index) => isKnown[index]),
          at,
        );
      },
    })),

  "an app that fails once is not told again": () => (store) =>
    withSignOuts(store, ({ note }) => ({
      note: (id, { dueAt: _, ...outcome }) => note(id, outcome),
    })),

  "a message to an app is forgotten by a gate that crashes": () => (store) =>
    withSignOuts(store, ({ claimDue }) => ({
      claimDue: (now, _, limit) => claimDue(now, new Date(8.64e15), limit),
    })),
};

const inEveryGroup = ({ user, ...found }: CurrentGrant): CurrentGrant => ({
  ...found,
  user: { ...user, groups: EVERY_GROUP },
});

const withGrants = (
  store: Store,
  change: (grants: StoreParts["grants"]) => Partial<StoreParts["grants"]>,
): Store => ({ ...store, grants: { ...store.grants, ...change(store.grants) } });

const withSignOuts = (
  store: Store,
  change: (signOuts: StoreParts["signOuts"]) => Partial<StoreParts["signOuts"]>,
): Store => ({ ...store, signOuts: { ...store.signOuts, ...change(store.signOuts) } });
