import { randomBytes } from "node:crypto";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import { insertUserRow } from "../../db/insert-user-row.ts";
import {
  ADMINS,
  type Link,
  NO_PASSWORD,
  type StoredUser,
  toUserId,
  type User,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { normalizeGroups } from "../../identity/groups.ts";
import { computeValidUpTo, type VerifiedToken } from "../../identity/session-token.ts";
import type { Clock } from "../../lib/clock.ts";
import { isUsableEmail } from "../../lib/email.ts";
import { Fault } from "../../lib/fault.ts";
import { isUsableLabel, isUsableUsername } from "../../lib/names.ts";
import { createRandomText, digestText } from "../../lib/random-text.ts";
import type { Mail } from "../../mail/mail.ts";
import type { Mailing } from "../../mail/mailing.ts";

interface LinkServices {
  readonly store: Pick<StoreParts, "users" | "links" | "apps" | "profiles">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
  /** Sends invitations. This is `undefined` without a mail server. */
  readonly mailing?: Pick<Mailing, "outbox" | "chooseLocale"> | undefined;
}

/** A link works for this long unless its maker chooses another lifetime. */
export const LINK_LIFETIME_MS: number = 7 * 86_400_000;

const PURPOSES: readonly Link["purpose"][] = ["invite", "guest", "reset", "reset-codes-off"];

/**
 * Describes a link to make. A link for a new password has `userId`. `name` is the username of an
 * invitation, if the link determines it. `email` sends an invitation to this address, which the new
 * account then has.
 */
export type WantedLink = Omit<
  Link,
  "id" | "tokenHash" | "userId" | "madeBy" | "makerId" | "makerValidUpTo"
> & { readonly userId?: string };

/** Identifies the administrator who makes a link, and the session in which this happens. */
export interface LinkMaker {
  readonly user: User;
  readonly session: Pick<VerifiedToken, "issuedAt" | "sessionsFrom">;
  /** An invitation is sent in this language. */
  readonly locale?: Mail["locale"];
}

/** Contains the new link, or says why no link was made. */
export type MakeLinkOutcome =
  | { readonly kind: "no-account" | "no-user" }
  /** These outcomes have the same meaning as in `addUser`. */
  | { readonly kind: "username-invalid" | "username-taken" | "username-used" }
  | { readonly kind: "label-missing" | "label-invalid" | "groups-missing" | "groups-invalid" }
  | LinkAppProblem
  /** Nothing can be sent, or another account has verified the address. */
  | { readonly kind: "no-mail" | "email-invalid" | "email-taken" }
  /** Only the caller gets the token. */
  | { readonly kind: "made"; readonly link: Link; readonly token: string };

/** Says which app the new account could not open, and why. */
export interface LinkAppProblem {
  /**
   * Guests open only apps that require a group and no second factor. Only the field `groups` can
   * make an administrator.
   */
  readonly kind: "app-unknown" | "app-without-groups" | "app-needs-factor" | "app-for-admins";
  readonly app: string;
}

/**
 * Makes a one-time link.
 *
 * @param maker The link ends when all sessions of this user are ended, when the account ends, and
 *   when the user leaves the group `admins`. Without a maker, the link depends on no account.
 */
export async function makeLink(
  { store, clock, record, mailing }: LinkServices,
  { groups: requestedGroups = [], apps: requestedApps = [], userId, ...wanted }: WantedLink,
  maker?: LinkMaker,
): Promise<MakeLinkOutcome> {
  // Plain JavaScript can pass anything. A link with an unknown purpose would make an account.
  if (!PURPOSES.includes(wanted.purpose))
    throw new Fault("invalid_option", `purpose is invalid: expected ${PURPOSES.join(", ")}`);
  // Plain JavaScript can pass these fields, but only a session proves who makes the link.
  for (const field of ["madeBy", "makerId", "makerValidUpTo"])
    if (field in wanted) throw new Fault("invalid_option", `${field} is not an option of a link`);
  const { purpose, name = "" } = wanted;
  const isReset = purpose === "reset" || purpose === "reset-codes-off";
  const apps = [...new Set(requestedApps)];
  if (isReset && apps.length > 0)
    throw new Fault("invalid_option", "apps is not an option of a link for a new password");
  const { email } = wanted;
  if (email !== undefined && purpose !== "invite")
    throw new Fault("invalid_option", "email is only an option of an invitation");
  const named = normalizeGroups(requestedGroups);
  if (named === "invalid") return { kind: "groups-invalid" };
  // Only the setup makes the first account.
  if (!(await store.users.any())) return { kind: "no-account" };
  const joined = await joinAppGroups(store.apps, apps, named, purpose === "guest");
  if ("kind" in joined) return joined;
  const groups = normalizeGroups(joined);
  if (groups === "invalid") return { kind: "groups-invalid" };
  if (purpose === "guest" && name === "") return { kind: "label-missing" };
  if (purpose === "guest" && groups.length === 0) return { kind: "groups-missing" };
  if (purpose === "guest" && !isUsableLabel(name)) return { kind: "label-invalid" };
  if (purpose === "invite" && name !== "") {
    if (!isUsableUsername(name)) return { kind: "username-invalid" };
    if (await store.users.findByName(name)) return { kind: "username-taken" };
    if (await store.users.isNameUsed(name)) return { kind: "username-used" };
  }
  if (email !== undefined) {
    if (mailing === undefined) return { kind: "no-mail" };
    if (!isUsableEmail(email)) return { kind: "email-invalid" };
    if (await store.profiles.findUserId(email)) return { kind: "email-taken" };
  }
  const now = new Date(clock.now());
  const user = isReset ? await store.users.findActive(toUserId(userId ?? ""), now) : undefined;
  if (isReset && !canHavePassword(user)) return { kind: "no-user" };
  const token = createRandomText();
  const ids = { id: randomBytes(8).toString("hex"), tokenHash: digestText(token) };
  const userFields = user && { userId: user.id, name: user.username };
  const groupFields = groups.length > 0 && { groups };
  const appFields = apps.length > 0 && { apps };
  const link: Link = {
    ...wanted,
    ...ids,
    ...groupFields,
    ...appFields,
    ...userFields,
    ...(maker && toMakerFields(maker)),
  };
  const insertLink = () => store.links.insert(link);
  // The user and the maker can both be removed in the meantime.
  const insertForMaker = maker
    ? () => insertUserRow(store.users, maker.user.id, insertLink)
    : insertLink;
  const inserted = user ? insertUserRow(store.users, user.id, insertForMaker) : insertForMaker();
  const outcome = await inserted;
  // The maker has left the group or was signed out after the request was authenticated.
  if (outcome === "removed" || !outcome) return { kind: "no-user" };
  await record(createAuditEvent("link_make", { user, name: describeLink(link) }));
  if (mailing !== undefined && email !== undefined)
    await sendInvitation({ store, mailing }, { link, token, to: email, maker });
  return { kind: "made", link, token };
}

/** Queues the message with an invitation. If that fails, the link exists, and can be revoked. */
async function sendInvitation(
  {
    store,
    mailing,
  }: Pick<LinkServices, "store"> & { readonly mailing: NonNullable<LinkServices["mailing"]> },
  {
    link,
    token,
    to,
    maker,
  }: {
    readonly link: Link;
    readonly token: string;
    readonly to: string;
    readonly maker: LinkMaker | undefined;
  },
): Promise<void> {
  const apps = await Promise.all((link.apps ?? []).map((id) => store.apps.find(id)));
  await mailing.outbox.queue({
    to,
    locale: maker?.locale ?? mailing.chooseLocale(undefined),
    message: {
      kind: "invitation",
      invitedBy: maker?.user.username,
      username: link.name,
      apps: apps.flatMap((app) => app?.name ?? []),
      token,
      expiresAt: link.expiresAt.toISOString(),
    },
  });
}

/**
 * Adds the first group of each app, unless the groups already open the app. The group `admins` is
 * never added, because a link for an app must not make an administrator.
 */
async function joinAppGroups(
  store: Pick<StoreParts["apps"], "find">,
  apps: readonly string[],
  groups: readonly string[],
  isGuest: boolean,
): Promise<readonly string[] | LinkAppProblem> {
  const joined = [...groups];
  for (const app of apps) {
    const found = await store.find(app);
    if (found === undefined) return { kind: "app-unknown", app };
    const { groups: required = [], factors } = found;
    if (isGuest && factors === 2) return { kind: "app-needs-factor", app };
    if (isGuest && required.length === 0) return { kind: "app-without-groups", app };
    if (required.length === 0 || required.some((group) => joined.includes(group))) continue;
    const first = required.find((group) => group !== ADMINS);
    if (first === undefined) return { kind: "app-for-admins", app };
    joined.push(first);
  }
  return joined;
}

/**
 * Returns the fields of the maker. The time is rounded down, because the database compares it with
 * whole seconds.
 */
const toMakerFields = ({ user, session }: LinkMaker) => ({
  madeBy: user.username,
  makerId: user.id,
  makerValidUpTo: Math.floor(computeValidUpTo(session)),
});

/**
 * Returns whether the account may have a password. A guest may not, because guards without a list
 * would then admit the guest.
 */
const canHavePassword = (user: StoredUser | undefined): boolean =>
  user !== undefined && user.passwordHash !== NO_PASSWORD;

/** Returns how the audit log names a link. */
const describeLink = ({ id, purpose, name }: Link): string =>
  [id, purpose, name ?? []].flat().join(" ");

/** Revokes a link. A link that was used or has expired returns `no-link`. */
export async function revokeLink(
  { store, clock, record }: LinkServices,
  id: string,
): Promise<"no-link" | "revoked"> {
  const link = await store.links.revoke(id, new Date(clock.now()));
  if (link === undefined) return "no-link";
  await record(createAuditEvent("link_revoke", { name: describeLink(link) }));
  return "revoked";
}
