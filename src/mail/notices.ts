import type { EventType } from "../audit/events.ts";
import type { NewLogEntry, Profile, UserId } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import { getErrorMessage, Unavailable } from "../lib/fault.ts";
import { digestText } from "../lib/random-text.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { Locale } from "../pages/words.ts";
import { getEntryId } from "./entry-id.ts";
import type { Notice, NoticeMessage } from "./mail.ts";
import type { Outbox } from "./outbox.ts";

/** Says which entries of the audit log a person is told about. */
const noticeOf: Readonly<Partial<Record<string, Notice>>> = {
  password_change: "passwordChanged",
  password_reset: "passwordChanged",
  user_password: "passwordChanged",
  passkey_add: "passkeyAdded",
  passkey_remove: "passkeyRemoved",
  codes_on: "codesOn",
  codes_off: "codesOff",
  factors_off: "codesOff",
  codes_locked: "codesLocked",
  recovery_codes_new: "recoveryCodesNew",
  recovery_code_used: "recoveryCodeUsed",
  identity_add: "identityAdded",
  identity_remove: "identityRemoved",
  key_add: "keyAdded",
  user_rename: "usernameChanged",
} satisfies Partial<Record<EventType, Notice>>;

/** The link that ends all sessions works for this long. */
const LINK_LIFETIME_MS = 7 * 86_400_000;

export interface NoticeServices {
  readonly store: Pick<StoreParts, "profiles" | "users" | "log">;
  readonly clock: Pick<Clock, "now">;
  readonly outbox: Pick<Outbox, "queue" | "queueWithLink">;
  readonly log: ServerLog;
  readonly chooseLocale: (profile: Pick<Profile, "locale"> | undefined) => Locale;
}

/**
 * Tells people about entries of the audit log, before the entries are stored: so whatever is in the
 * log was also told. An entry that is passed again is told once.
 *
 * @throws {Unavailable} if the store cannot take the messages now.
 */
export async function tellPeople(
  services: NoticeServices,
  entries: readonly NewLogEntry[],
): Promise<void> {
  for (const entry of entries) {
    try {
      if (entry.type === "user_ask") await tellAdmins(services, entry);
      const notice = await findNotice(services.store, entry);
      if (notice === undefined || entry.userId === undefined) continue;
      const profile = await services.store.profiles.find(entry.userId);
      const to = profile?.verifiedEmail === undefined ? undefined : profile.email;
      if (to !== undefined)
        await tell(services, { notice, userId: entry.userId, to, entry, profile });
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      // The account may be gone. Another entry must not wait for this one.
      const fields = { reason: getErrorMessage(error), type: entry.type };
      services.log.error(fields, "a person was not told what has changed");
    }
  }
}

/** Tells the holder of an address that the account has another address now. */
export async function tellFormerAddress(
  services: NoticeServices,
  former: Profile,
  entry: NewLogEntry,
): Promise<void> {
  if (former.email === undefined || former.verifiedEmail === undefined) return;
  const { userId, email: to } = former;
  await tell(services, { notice: "emailChanged", userId, to, entry, profile: former });
}

/** So many administrators are told: one of them decides. */
const MAX_TOLD_ADMINS = 20;

/** Tells administrators that somebody asks for an account. */
async function tellAdmins(
  { store, clock, outbox, chooseLocale }: NoticeServices,
  entry: NewLogEntry,
): Promise<void> {
  const admins = await store.profiles.listAdmins(new Date(clock.now()), MAX_TOLD_ADMINS);
  for (const admin of admins) {
    const { email: to = "", userId } = admin;
    const message = { kind: "approval-wanted", username: entry.subject ?? "" } as const;
    const id = digestText(JSON.stringify(["approval-wanted", to, getEntryId(entry)]));
    await outbox.queue({ to, locale: chooseLocale(admin), message }, userId, id);
  }
}

interface Told {
  readonly notice: Notice;
  readonly userId: UserId;
  readonly to: string;
  readonly entry: NewLogEntry;
  readonly profile: Profile | undefined;
}

async function tell(
  { outbox, clock, store, chooseLocale }: NoticeServices,
  { notice, userId, to, entry, profile }: Told,
): Promise<void> {
  const user = await store.users.find(userId);
  if (user === undefined) return;
  const { at, address, device, author } = entry;
  const id = digestText(JSON.stringify([notice, to, getEntryId(entry)]));
  await outbox.queueWithLink(
    {
      to,
      locale: chooseLocale(profile),
      link: {
        purpose: "end-sessions",
        userId,
        expiresAt: new Date(clock.now() + LINK_LIFETIME_MS),
      },
      write: (token): NoticeMessage => ({
        kind: "notice",
        ...{ notice, username: user.username, at: at.toISOString(), address, device, token },
        ...(author !== "system" && { by: author }),
      }),
    },
    id,
  );
}

/** A browser is known once it has signed in, or has used the link or the page that made the account. */
const ARRIVALS: readonly EventType[] = ["signin", "signup", "link_use"];

/** Finds what to tell about an entry. A sign-in is told if its device or its address is new. */
async function findNotice(
  store: Pick<StoreParts, "log">,
  { type, userId, address, device, at, author }: NewLogEntry,
): Promise<Notice | undefined> {
  if (userId === undefined) return undefined;
  if (type === "signin") {
    for (const arrival of ARRIVALS)
      if (await store.log.hasEarlier({ type: arrival, userId, address, device, at }))
        return undefined;
    return "signInNew";
  }
  // Of all links that are made, only those for a new password name an account. An app that makes one
  // tells the person itself.
  if (type === "link_make" && author !== "system") return "passwordLinkMade";
  return noticeOf[type];
}
