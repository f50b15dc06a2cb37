import { checkKey, checkLink, requireText } from "./api-arguments.ts";
import { type AddedKey, type AddKeyOutcome, addKey, revokeKey } from "./core/keys/own-keys.ts";
import {
  type MakeLinkOutcome,
  makeLink,
  revokeLink,
  type WantedLink,
} from "./core/links/make-link.ts";
import type { Ports } from "./core/ports.ts";
import { pagesOf } from "./core/transfer/pages.ts";
import { idOf, type Key, type Link, userOf } from "./db/records.ts";

/** One-time links. The path of a link is `/link/` and its token, below the base path. */
export interface Links {
  make(wanted: WantedLink): Promise<MakeLinkOutcome>;
  /** Those that can be used, in the order of their IDs. */
  list(): AsyncIterable<Link>;
  revoke(id: string): Promise<"no-link" | "revoked">;
}

/** Keys for programs. */
export interface Keys {
  /** Not for an account that has ended. The text of the key is in the outcome alone. */
  add(userId: string, key: AddedKey): Promise<AddKeyOutcome | { readonly kind: "no-user" }>;
  /** Those of a user, the oldest first. */
  list(userId: string): Promise<readonly Key[]>;
  revoke(id: string): Promise<"no-key" | "revoked">;
}

export function createLinks(ports: Ports<"clock" | "record", "users" | "links">): Links {
  const { links } = ports.store;
  return Object.freeze<Links>({
    make: async (wanted) => makeLink(ports, checkLink(wanted, ports.clock.now())),
    async *list() {
      const now = new Date(ports.clock.now());
      for await (const page of pagesOf((...given) => links.read(...given, now))) yield* page;
    },
    revoke: async (id) => revokeLink(ports, requireText("id", id)),
  });
}

export function createKeys(ports: Ports<"clock" | "record", "users" | "keys">): Keys {
  const { keys, users } = ports.store;
  return Object.freeze<Keys>({
    async add(userId, given) {
      const id = idOf(requireText("userId", userId));
      const key = checkKey(given);
      const user = await users.findActive(id, new Date(ports.clock.now()));
      return user === undefined ? { kind: "no-user" } : addKey(ports, userOf(user), key);
    },
    list: async (userId) => keys.listOf(idOf(requireText("userId", userId))),
    revoke: async (id) => revokeKey(ports, requireText("id", id)),
  });
}
