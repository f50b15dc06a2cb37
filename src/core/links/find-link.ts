import type { Clock } from "../base/clock.ts";
import { hashOf } from "../base/random-text.ts";
import type { Client } from "../limits/requester.ts";
import type { Limiter } from "../limits/shared-limiter.ts";
import type { Link } from "../records.ts";
import type { LinkStore, UserStore } from "../store.ts";

export interface FindLinkPorts {
  readonly clock: Pick<Clock, "now">;
  /** Not that of a sign-in: links use up none of its attempts. */
  readonly limiter: Pick<Limiter, "attempt">;
  readonly store: {
    /** Those whose account has not ended. */
    readonly users: Pick<UserStore, "find">;
    readonly links: LinkStore;
  };
}

/** A link that can be used, with the username of its account if that is settled. */
export interface OpenLink {
  readonly link: Link;
  readonly username: string | undefined;
}

/** `undefined` for any reason: nothing tells unknown, used, expired, revoked and limited apart. */
export async function findLink(
  { limiter, store, clock }: FindLinkPorts,
  token: string,
  client: Client,
): Promise<OpenLink | undefined> {
  if ((await limiter.attempt(client.remoteAddress)) === "denied") return undefined;
  const link = await store.links.find(hashOf(token), new Date(clock.now()));
  if (link?.userId === undefined) return link && { link, username: link.name };
  const user = await store.users.find(link.userId);
  return user && { link, username: user.username };
}
