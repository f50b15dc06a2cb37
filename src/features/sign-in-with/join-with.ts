import { createAuditEvent } from "../../audit/events.ts";
import { UNSET_PASSWORD, type User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { toFacts } from "../../identity/provider-facts.ts";
import {
  isInRequiredGroup,
  mapGroups,
  type Provider,
  type ProviderIdentity,
} from "../../identity/providers.ts";
import type { IssuedToken } from "../../identity/session-token.ts";
import { startSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import { isUsableUsername } from "../../lib/names.ts";
import { findLink, toAccountFields } from "../links/use-link.ts";
import type { SignInWithServices } from "./sign-in-with.ts";

interface JoinServices extends SignInWithServices {
  readonly store: Pick<StoreParts, "users" | "identities" | "codes" | "links" | "apps">;
}

/** Says whether the invitation has made an account, or why not: then it can still be used. */
export type JoinOutcome =
  | { readonly kind: "gone" | "not-in-group" | "identity-taken" }
  | { readonly kind: "username-invalid" | "username-taken" }
  | { readonly kind: "entered"; readonly user: User; readonly token: IssuedToken };

/**
 * Uses an invitation with an account at a provider in place of a password. The link decides what the
 * new account may open; the provider says who it is.
 */
export async function joinWith(
  services: JoinServices,
  provider: Provider,
  identity: ProviderIdentity,
  invitation: { readonly token: string; readonly username: string },
  { client, locale }: { readonly client: Client; readonly locale: string },
): Promise<JoinOutcome> {
  if (!isInRequiredGroup(provider, identity)) return { kind: "not-in-group" };
  const open = await findLink(services, invitation.token);
  if (open === undefined || open.link.purpose !== "invite") return { kind: "gone" };
  const username = open.username ?? (invitation.username || identity.username || "");
  if (username === "" || !isUsableUsername(username)) return { kind: "username-invalid" };
  const now = new Date(services.clock.now());
  const { groups = [], ...fields } = toAccountFields(open.link, now);
  const joined = [...new Set([...groups, ...mapGroups(provider, identity)])];
  const account = {
    ...{ username, passwordHash: UNSET_PASSWORD, ...fields },
    ...(joined.length > 0 && { groups: joined }),
  };
  const facts = { ...toFacts(provider, identity, now), locale };
  const user = await services.store.links.use(open.link, account, now, facts);
  switch (user) {
    case "gone":
    case "identity-taken":
      return { kind: user };
    case "taken":
      return { kind: "username-taken" };
    default:
      services.events.record(createAuditEvent("link_use", { user, client }));
      return { kind: "entered", user, token: startSession(services, user, client) };
  }
}
