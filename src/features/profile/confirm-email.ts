import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import type { Link, User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { AttemptLimiter } from "../../identity/attempt-limiter.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { isUsableEmail } from "../../lib/email.ts";
import type { Mailing } from "../../mail/mailing.ts";

export interface AskServices {
  readonly store: Pick<StoreParts, "profiles">;
  readonly mailing: Mailing;
  readonly clock: Pick<Clock, "now">;
  /** Limits the messages that one account can send to addresses of others. */
  readonly confirmationLimiter: Pick<AttemptLimiter, "attempt">;
}

const LINK_LIFETIME_MS = 86_400_000;

/** Says whether a message was queued, or why not. */
export type AskToConfirmOutcome = "email-invalid" | "rate-limited" | "queued";

/**
 * Sends a link to an address that a person wants to use. Until the link is used, the account keeps
 * its former address, and nobody learns whether another account has the new one.
 */
export async function askToConfirmEmail(
  { store, mailing, clock, confirmationLimiter }: AskServices,
  { id: userId, username }: User,
  wanted: string,
): Promise<AskToConfirmOutcome> {
  const email = wanted.trim();
  if (!isUsableEmail(email)) return "email-invalid";
  if (confirmationLimiter.attempt(userId) === "denied") return "rate-limited";
  const profile = await store.profiles.find(userId);
  const expiresAt = new Date(clock.now() + LINK_LIFETIME_MS);
  await mailing.outbox.queueWithLink({
    to: email,
    locale: mailing.chooseLocale(profile),
    link: { purpose: "confirm-email", userId, email, expiresAt },
    write: (token) => ({ kind: "confirm-email", username, token }),
  });
  return "queued";
}

interface ConfirmServices extends ChangeServices {
  readonly store: Pick<StoreParts, "links">;
  readonly mailing?: Pick<Mailing, "tellFormerAddress"> | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
}

/**
 * Says whether the address is now that of the account. `taken` says that another account has
 * verified it first.
 */
export type ConfirmEmailOutcome = "gone" | "taken" | "confirmed";

/** Uses a link that was sent to an address, and tells the former address of the account. */
export async function confirmEmail(
  services: ConfirmServices,
  link: Link,
  client: Client,
  locale: string | undefined,
): Promise<ConfirmEmailOutcome> {
  const { store, mailing, clock, events } = services;
  const { userId } = link;
  if (userId === undefined) return "gone";
  const use = () => store.links.confirmEmail(link, locale, new Date(clock.now()));
  const outcome = await changeAccount(services, userId, use);
  if (outcome.kind !== "confirmed") return outcome.kind;
  const { user, former } = outcome;
  const event = createAuditEvent("email_confirm", { user, client });
  events.record(event);
  if (former !== undefined && former.verifiedEmail !== link.email?.toLowerCase())
    await mailing?.tellFormerAddress(former, event);
  return "confirmed";
}
