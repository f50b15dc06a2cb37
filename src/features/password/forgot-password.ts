import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import { NO_PASSWORD, type StoredUser } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Limiter } from "../../identity/shared-limiter.ts";
import { type Client, describeClient } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewPasswordMessage } from "../../mail/mail.ts";
import type { Mailing } from "../../mail/mailing.ts";
import type { LinkedMail } from "../../mail/outbox.ts";

interface AskServices {
  readonly mailing: Pick<Mailing, "outbox"> | undefined;
  readonly forgotLimiter: Pick<Limiter, "attempt">;
  readonly clock: Pick<Clock, "now">;
}

/** A longer text is no username and no address. */
const MAX_LOGIN_BYTES = 1_024;

/** Says what became of the request. Nothing depends on whether there is such an account. */
export type AskOutcome = "queued" | "rate-limited" | "no-mail";

/**
 * Takes the request of a person who has forgotten the password. The account is only looked for in
 * the background, so that neither the response nor its time shows whether there is one.
 */
export async function askForNewPassword(
  { mailing, forgotLimiter, clock }: AskServices,
  login: string,
  client: Client,
): Promise<AskOutcome> {
  if (mailing === undefined) return "no-mail";
  if ((await forgotLimiter.attempt(client.remoteAddress)) === "denied") return "rate-limited";
  const { remoteAddress, userAgent } = client;
  const asked: Asked = {
    login: Buffer.byteLength(login) > MAX_LOGIN_BYTES || login.includes("\0") ? "" : login,
    at: new Date(clock.now()).toISOString(),
    remoteAddress,
    userAgent: userAgent?.slice(0, MAX_LOGIN_BYTES),
  };
  await mailing.outbox.queueWork("new-password", asked);
  return "queued";
}

/** Contains the request as the outbox keeps it. */
interface Asked {
  readonly login: string;
  readonly at: string;
  readonly remoteAddress: string;
  readonly userAgent?: string | undefined;
}

interface AnswerServices {
  readonly store: Pick<StoreParts, "users" | "profiles">;
  readonly mailing: Mailing;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
}

const LINK_LIFETIME_MS = 30 * 60_000;
/** An account gets at most this many links within their lifetime, whoever asks for them. */
const MAX_LINKS = 3;

/**
 * Sends a link for a new password to the verified address of the account, if there is one. Another
 * address never gets a link, since nobody has shown that it belongs to the person.
 */
export async function answerForgotten(
  { store, mailing, clock, events }: AnswerServices,
  content: unknown,
  id: string,
): Promise<void> {
  const asked = content as Asked;
  const now = new Date(clock.now());
  const user = await findAskedUser(store, asked.login, now);
  if (user === undefined || user.passwordHash === NO_PASSWORD) return;
  const profile = await store.profiles.find(user.id);
  if (profile?.email === undefined || profile.verifiedEmail === undefined) return;
  const client: Client = { remoteAddress: asked.remoteAddress, userAgent: asked.userAgent };
  const { email } = profile;
  const mail: LinkedMail = {
    to: email,
    locale: mailing.chooseLocale(profile),
    link: {
      purpose: "reset",
      userId: user.id,
      email,
      expiresAt: new Date(now.getTime() + LINK_LIFETIME_MS),
    },
    write: (token): NewPasswordMessage => ({
      kind: "new-password",
      ...{ username: user.username, token, at: asked.at },
      ...describeClient(client),
    }),
  };
  const outcome = await mailing.outbox.replaceWork(id, mail, MAX_LINKS);
  if (outcome === "replaced") events.record(createAuditEvent("password_ask", { user, client }));
}

/** A username comes first, because a username can look like the address of another account. */
async function findAskedUser(
  { users, profiles }: Pick<StoreParts, "users" | "profiles">,
  login: string,
  now: Date,
): Promise<StoredUser | undefined> {
  const named = await users.findActiveByName(login, now);
  if (named !== undefined) return named;
  const id = await profiles.findUserId(login.trim());
  return id && users.findActive(id, now);
}
