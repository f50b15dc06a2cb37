import { hash, randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Event } from "../log/events.ts";
import type { LinkStore, UserStore } from "../store.ts";

/** What making and revoking links needs. */
export interface LinkPorts {
  readonly store: {
    readonly users: Pick<UserStore, "any" | "find" | "findByName">;
    readonly links: LinkStore;
  };
  readonly clock: Pick<Clock, "now">;
  /** Writes an entry of the audit log. */
  readonly record: (event: Event) => Promise<void>;
}

/** How long a link works, unless its maker says otherwise. */
export const LINK_LIFETIME_MS: number = 7 * 86_400_000;

/** The token of a new link. It is in the link alone. */
export const newLinkToken = (): string => randomBytes(32).toString("base64url");

/** Under which the store keeps the link. Needs no salt: nobody can guess 32 random bytes. */
export const linkTokenHash = (token: string): string => hash("sha256", token, "base64url");
