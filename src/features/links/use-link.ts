import { randomBytes } from "node:crypto";
import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import { type App, hasEnded, type Link, NO_PASSWORD, type User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { isTooShort } from "../../identity/password-length.ts";
import type { Passwords } from "../../identity/passwords.ts";
import { createNetworkRequester } from "../../identity/requester.ts";
import type { IssuedToken } from "../../identity/session-token.ts";
import type { Limiter } from "../../identity/shared-limiter.ts";
import { type StartSessionServices, startSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import { isUsableUsername } from "../../lib/names.ts";
import { digestText } from "../../lib/random-text.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import type { Mailing } from "../../mail/mailing.ts";
import { confirmEmail } from "../profile/confirm-email.ts";

interface FindLinkServices {
  readonly store: Pick<StoreParts, "users" | "links" | "apps">;
  readonly clock: Pick<Clock, "now">;
}

/** Contains a link that can be used, and the username of its account if it is determined. */
export interface OpenLink {
  readonly link: Link;
  readonly username: string | undefined;
  /** Lists the apps of the link that still exist. */
  readonly apps: readonly App[];
}

/**
 * Finds a link. Returns `undefined` for unknown, used, expired and revoked links, without saying
 * why. There is no rate limit: a token of 256 bits cannot be guessed, and images on another site
 * could use up a visitor's limit.
 */
export async function findLink(
  { store, clock }: FindLinkServices,
  token: string,
): Promise<OpenLink | undefined> {
  const now = clock.now();
  const link = await store.links.find(digestText(token), new Date(now));
  // The account of an invitation can end before the link does.
  if (!link || hasEnded(link, now)) return undefined;
  if (link.userId === undefined) {
    return { link, username: link.name, apps: await findApps(store.apps, link) };
  }
  const user = await store.users.findActive(link.userId, new Date(now));
  return user && { link, username: user.username, apps: [] };
}

async function findApps(
  store: Pick<StoreParts["apps"], "find">,
  { apps = [] }: Link,
): Promise<readonly App[]> {
  const found = await Promise.all(apps.map((id) => store.find(id)));
  return found.filter((app) => app !== undefined);
}

interface UseLinkServices extends StartSessionServices, FindLinkServices, ChangeServices {
  readonly mailing?: Mailing | undefined;
  readonly store: Pick<StoreParts, "users" | "links" | "apps">;
  readonly passwords: Passwords;
  readonly events: Pick<EventLog, "record">;
  readonly linkLimiter: Pick<Limiter, "attempt">;
}

export type LinkForm = Readonly<Record<"username" | "password" | "confirm", string>>;

export type LinkProblem =
  | "username-missing"
  | "password-missing"
  | "passwords-differ"
  | "password-too-short"
  | "username-invalid"
  /** Another account, possibly one that no longer exists, has or had the name in some spelling. */
  | "username-taken";

type UseLinkOutcome =
  /**
   * The link cannot be used, another request was first, or the address has made too many attempts.
   */
  | { readonly kind: "gone" }
  /** The link can still be used. */
  | { readonly kind: "rejected"; readonly problem: LinkProblem; readonly open: OpenLink }
  | {
      readonly kind: "entered";
      readonly user: User;
      readonly token: IssuedToken;
      /** The browser continues at the URL of this app, if the link is for one app. */
      readonly app: App | undefined;
    }
  /** No session starts, because the sign-in still asks for a one-time code. */
  | { readonly kind: "password-reset" }
  /** Another account has verified the address that the link confirms. */
  | { readonly kind: "email-taken" }
  | { readonly kind: "email-confirmed" }
  | { readonly kind: "sessions-ended" };

/**
 * Uses a link with the input of its page. A guest has no input, and neither has a link that a
 * message contains.
 *
 * @param locale Messages to a person without another language are in this one.
 */
export async function useLink(
  services: UseLinkServices,
  token: string,
  form: LinkForm,
  client: Client,
  locale?: string,
): Promise<UseLinkOutcome> {
  if ((await services.linkLimiter.attempt(client.remoteAddress)) === "denied")
    return { kind: "gone" };
  const open = await findLink(services, token);
  if (open === undefined) return { kind: "gone" };
  switch (open.link.purpose) {
    case "confirm-email":
      return useToConfirm(services, open.link, client, locale);
    case "end-sessions":
      return useToEndSessions(services, open.link, client);
    case "invite":
    case "guest":
    case "reset":
    case "reset-codes-off":
      return useForAccount(services, open, form, client, locale);
  }
}

async function useToConfirm(
  services: UseLinkServices,
  link: Link,
  client: Client,
  locale: string | undefined,
): Promise<UseLinkOutcome> {
  const outcome = await confirmEmail(services, link, client, locale);
  switch (outcome) {
    case "gone":
      return { kind: "gone" };
    case "taken":
      return { kind: "email-taken" };
    case "confirmed":
      return { kind: "email-confirmed" };
  }
}

/** Ends all sessions of a person who has not done what a message tells. */
async function useToEndSessions(
  services: UseLinkServices,
  link: Link,
  client: Client,
): Promise<UseLinkOutcome> {
  const { store, clock, events } = services;
  const { userId } = link;
  if (userId === undefined) return { kind: "gone" };
  const use = () => store.links.endSessions(link, new Date(clock.now()));
  const user = await changeAccount(services, userId, use);
  if (user === undefined) return { kind: "gone" };
  events.record(createAuditEvent("sessions_end_link", { user, client }));
  return { kind: "sessions-ended" };
}

/** Makes the account of an invitation or a guest, or sets a new password. */
async function useForAccount(
  services: UseLinkServices,
  open: OpenLink,
  form: LinkForm,
  client: Client,
  locale?: string,
): Promise<UseLinkOutcome> {
  const { link, username = form.username } = open;
  const isGuest = link.purpose === "guest";
  const isNew = link.userId === undefined;
  const entered = isGuest ? undefined : findLinkProblem({ ...form, username });
  // Links that were made before names were checked can have any name.
  const problem =
    entered ?? (isNew && !isUsableUsername(username) ? "username-invalid" : undefined);
  if (problem !== undefined) return { kind: "rejected", problem, open };
  const passwordHash = isGuest
    ? NO_PASSWORD
    : await services.passwords.hash(form.password, createNetworkRequester(client));

  const now = new Date(services.clock.now());
  const account = { passwordHash, ...toAccountFields(link, now) };
  const useWithName = (name: string) => {
    const use = () => services.store.links.use(link, { ...account, username: name }, now, locale);
    // An account that the link only makes now is in no cache.
    return link.userId === undefined ? use() : changeAccount(services, link.userId, use);
  };
  let user = await useWithName(username);
  while (isGuest && user === "taken") user = await useWithName(`${username} ${createSuffix()}`);
  if (user === "gone") return { kind: "gone" };
  if (user === "taken") return { kind: "rejected", problem: "username-taken", open };
  const event = link.userId === undefined ? "link_use" : "password_reset";
  services.events.record(createAuditEvent(event, { user, client }));
  if (link.userId !== undefined) return { kind: "password-reset" };
  const app = link.apps?.length === 1 ? open.apps[0] : undefined;
  return { kind: "entered", user, token: startSession(services, user, client), app };
}

interface RemoveEndedLinksServices {
  readonly store: Pick<StoreParts, "links">;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
}

/** Removes expired links, and guests whose account has ended. Never fails. */
export async function removeEndedLinks(services: RemoveEndedLinksServices): Promise<void> {
  const { store, clock, events, log } = services;
  try {
    const removed = await store.links.removeEnded(new Date(clock.now()));
    for (const user of removed) events.record(createAuditEvent("user_remove", { user }));
  } catch (error) {
    log.warn({ reason: getErrorMessage(error) }, "cannot remove guests whose time has ended");
  }
}

/** Returns the properties that a link sets for the account that it makes. */
function toAccountFields({ purpose, groups = [], guestSeconds, ...link }: Link, now: Date) {
  const leaves =
    guestSeconds === undefined ? link.expiresAt : new Date(now.getTime() + guestSeconds * 1_000);
  const endsAt = purpose === "guest" ? leaves : link.endsAt;
  return { ...(groups.length > 0 && { groups }), ...(endsAt && { endsAt }) };
}

/**
 * Returns a random suffix. It is long enough to make a label a free username, even after thousands
 * of guests.
 */
const createSuffix = (): string => randomBytes(4).toString("hex");

function findLinkProblem({ username, password, confirm }: LinkForm): LinkProblem | undefined {
  if (username === "") return "username-missing";
  if (password === "") return "password-missing";
  if (password !== confirm) return "passwords-differ";
  return isTooShort(password) ? "password-too-short" : undefined;
}
