import { hasEnded } from "./core/accounts/living-users.ts";
import { type AddedKey, type AddKeyOutcome, addKey, revokeKey } from "./core/keys/own-keys.ts";
import {
  type MakeLinkOutcome,
  makeLink,
  revokeLink,
  type WantedLink,
} from "./core/links/make-link.ts";
import type { Ports } from "./core/ports.ts";
import { idOf, type Key, type Link, userOf } from "./core/records.ts";
import { pagesOf } from "./core/transfer/pages.ts";

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
    make: (wanted) => makeLink(ports, wanted),
    async *list() {
      const now = new Date(ports.clock.now());
      for await (const page of pagesOf((...given) => links.read(...given, now))) yield* page;
    },
    revoke: (id) => revokeLink(ports, id),
  });
}

export function createKeys(ports: Ports<"clock" | "record", "users" | "keys">): Keys {
  const { keys, users } = ports.store;
  return Object.freeze<Keys>({
    async add(userId, key) {
      const user = await users.find(idOf(userId));
      const isLiving = user !== undefined && !hasEnded(user, ports.clock.now());
      return isLiving ? addKey(ports, userOf(user), key) : { kind: "no-user" };
    },
    list: (userId) => keys.listOf(idOf(userId)),
    revoke: (id) => revokeKey(ports, id),
  });
}
