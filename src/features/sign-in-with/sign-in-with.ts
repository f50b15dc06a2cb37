import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import {
  type Identity,
  type StoredUser,
  toIdentityId,
  toPublicUser,
  type User,
  type UserId,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { ChangeServices } from "../../identity/credential-cache.ts";
import { toIdentityLabel, toIdentityRow } from "../../identity/provider-facts.ts";
import {
  isInRequiredGroup,
  mapGroups,
  type Provider,
  type ProviderIdentity,
} from "../../identity/providers.ts";
import type { IssuedToken } from "../../identity/session-token.ts";
import { type StartSessionServices, startSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import { type CheckCodeServices, checkCode } from "../codes/check-code.ts";
import { setGroups } from "../people/set-groups.ts";

export interface SignInWithServices
  extends StartSessionServices,
    ChangeServices,
    CheckCodeServices {
  readonly store: Pick<StoreParts, "users" | "identities" | "codes">;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
}

/** Says who has come back from a provider, or why nobody is signed in. */
export type SignInWithOutcome =
  /** The provider has the person not in the group that may sign in. */
  | { readonly kind: "not-in-group" }
  /** No account is linked with this identity. An e-mail address links nothing. */
  | { readonly kind: "unknown" }
  /** The account uses one-time codes, and the provider has not proven a second factor. */
  | { readonly kind: "code-needed"; readonly userId: UserId }
  | { readonly kind: "signed-in"; readonly user: User; readonly token: IssuedToken };

/** Signs in the account that is linked with an identity. */
export async function signInWith(
  services: SignInWithServices,
  provider: Provider,
  identity: ProviderIdentity,
  client: Client,
): Promise<SignInWithOutcome> {
  const { store, clock } = services;
  if (!isInRequiredGroup(provider, identity)) return { kind: "not-in-group" };
  const id = toIdentityId(identity.issuer, identity.subject);
  const now = new Date(clock.now());
  const user = await store.identities.findUser(id, now);
  if (user === undefined) return { kind: "unknown" };
  await store.identities.noteUse(id, { at: now, label: toIdentityLabel(identity) });
  await renewGroups(services, provider, identity, user);
  const factors = provider.factors === "trusted" ? identity.factors : 1;
  const codes = await store.codes.find(user.id);
  if (codes !== undefined && factors === 1) return { kind: "code-needed", userId: user.id };
  return (await enter(services, user.id, client, factors)) ?? { kind: "unknown" };
}

/** Says whether the code was right, or that the account is gone. */
export type FinishWithCodeOutcome = { readonly kind: "gone" | "rejected" } | SignedIn;

type SignedIn = Extract<SignInWithOutcome, { readonly kind: "signed-in" }>;

/** Signs in an account that has come back from its provider, with its one-time code. */
export async function finishWithCode(
  services: SignInWithServices,
  userId: UserId,
  code: string,
  client: Client,
): Promise<FinishWithCodeOutcome> {
  const { store, clock } = services;
  const user = await store.users.findActive(userId, new Date(clock.now()));
  if (user === undefined) return { kind: "gone" };
  const codes = await store.codes.find(userId);
  const checked = await checkCode(services, { user, codes }, code, client);
  if (checked === "rejected") return { kind: "rejected" };
  const factors = checked === "accepted" ? 2 : 1;
  return (await enter(services, userId, client, factors)) ?? { kind: "gone" };
}

/** Starts a session, unless the account has ended since it was found. */
async function enter(
  services: SignInWithServices,
  id: UserId,
  client: Client,
  factors: 1 | 2,
): Promise<SignedIn | undefined> {
  const user = await services.store.users.findActive(id, new Date(services.clock.now()));
  if (user === undefined) return undefined;
  const token = startSession(services, user, client, factors);
  services.events.record(createAuditEvent("signin", { user, client }));
  return { kind: "signed-in", user: toPublicUser(user), token };
}

/**
 * Gives the account the groups that the provider says it has. Only groups that the provider decides
 * about change, and the last administrator stays one.
 */
async function renewGroups(
  services: SignInWithServices,
  provider: Provider,
  identity: ProviderIdentity,
  { id, username, groups: current = [] }: StoredUser,
): Promise<void> {
  const decided = new Set(provider.groups.values());
  if (decided.size === 0 || identity.groups === undefined) return;
  const kept = current.filter((group) => !decided.has(group));
  const wanted = [...new Set([...kept, ...mapGroups(provider, identity)])].sort();
  if (wanted.join() === current.toSorted().join()) return;
  const { log, events } = services;
  const record = (event: NewAuditEvent): void => events.record(event);
  const outcome = await setGroups({ ...services, record, keep: "an-admin" }, id, wanted);
  if (outcome !== "set")
    log.warn({ username, outcome }, "the groups of the provider were not taken over");
}

/** An account has at most this many identities. */
const MAX_IDENTITIES = 10;

/** Says whether the identity now belongs to the account, or why not. */
export type LinkIdentityOutcome =
  | "not-in-group"
  /** The account has ended, or its sessions have, since this began. */
  | "no-user"
  /** The identity belongs to another account. */
  | "taken"
  | "too-many"
  | "added";

/** Links an identity with the account of a person who is signed in and has confirmed it. */
export async function linkIdentity(
  { store, clock, events }: SignInWithServices,
  provider: Provider,
  identity: ProviderIdentity,
  holder: { readonly userId: UserId; readonly sessionsFrom: number },
  client: Client,
): Promise<LinkIdentityOutcome> {
  if (!isInRequiredGroup(provider, identity)) return "not-in-group";
  const { userId, sessionsFrom } = holder;
  const row: Identity = { ...toIdentityRow(provider, identity, new Date(clock.now())), userId };
  const outcome = await store.identities.insert(row, MAX_IDENTITIES, sessionsFrom);
  const user = outcome === "added" ? await store.users.find(userId) : undefined;
  if (user !== undefined) events.record(createAuditEvent("identity_add", { user, client }));
  return outcome;
}

/** Says whether the identity was removed, or why not. */
export type UnlinkIdentityOutcome = "no-identity" | "only-way-in" | "removed";

/** Removes an identity from an account, unless nobody could sign in to the account any more. */
export async function unlinkIdentity(
  { store, events }: Pick<SignInWithServices, "store" | "events">,
  user: User,
  id: string,
  client: Client,
): Promise<UnlinkIdentityOutcome> {
  const outcome = await store.identities.remove(user.id, id);
  if (outcome === "removed") events.record(createAuditEvent("identity_remove", { user, client }));
  return outcome;
}
