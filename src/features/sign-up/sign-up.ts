import { randomBytes, randomInt } from "node:crypto";
import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import type { NewAccountFacts } from "../../db/queries/new-accounts.ts";
import {
  type Link,
  type PasswordHash,
  type SignUp,
  UNSET_PASSWORD,
  type User,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { CredentialCache } from "../../identity/credential-cache.ts";
import { toFacts } from "../../identity/provider-facts.ts";
import {
  isInRequiredGroup,
  mapGroups,
  type Provider,
  type ProviderIdentity,
} from "../../identity/providers.ts";
import type { IssuedToken } from "../../identity/session-token.ts";
import type { Limiter } from "../../identity/shared-limiter.ts";
import { type StartSessionServices, startSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { isUsableEmail } from "../../lib/email.ts";
import { isUsableUsername } from "../../lib/names.ts";
import { createRandomText } from "../../lib/random-text.ts";
import type { Mailing } from "../../mail/mailing.ts";
import type { LinkedMail } from "../../mail/outbox.ts";

/** Says who can register: nobody, whom an administrator approves, or everybody. */
export interface SignUpPolicy {
  readonly mode: "off" | "approval" | "open";
  /** Only addresses at these domains can register. An empty list means any. */
  readonly domains?: readonly string[] | undefined;
}

/** Returns whether the policy admits an address. Hosts below a domain are others. */
export const isAdmittedAddress = ({ domains = [] }: SignUpPolicy, email: string): boolean =>
  domains.length === 0 || domains.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase());

interface AskServices {
  readonly credentialCache: Pick<CredentialCache, "anyExists">;
  readonly mailing: Pick<Mailing, "outbox"> | undefined;
  readonly forgotLimiter: Pick<Limiter, "attempt">;
}

export type AskToSignUpOutcome =
  | "needs-setup"
  | "off"
  | "rate-limited"
  | "email-invalid"
  | "domain-refused"
  | "queued";

/**
 * Takes the address of a person who wants an account. Whether another account has the address is
 * only looked for in the background, so that nothing here shows it.
 */
export async function askToSignUp(
  { credentialCache, mailing, forgotLimiter }: AskServices,
  policy: SignUpPolicy,
  entered: string,
  { remoteAddress }: Client,
  locale: string,
): Promise<AskToSignUpOutcome> {
  if (!(await credentialCache.anyExists())) return "needs-setup";
  if (policy.mode === "off" || mailing === undefined) return "off";
  const email = entered.trim();
  if (!isUsableEmail(email)) return "email-invalid";
  if (!isAdmittedAddress(policy, email)) return "domain-refused";
  if ((await forgotLimiter.attempt(remoteAddress)) === "denied") return "rate-limited";
  const asked: Asked = { email, locale };
  await mailing.outbox.queueWork("sign-up", asked);
  return "queued";
}

interface Asked {
  readonly email: string;
  readonly locale: string;
}

interface AnswerServices {
  readonly store: Pick<StoreParts, "profiles">;
  readonly mailing: Mailing;
  readonly clock: Pick<Clock, "now">;
}

const LINK_LIFETIME_MS = 86_400_000;
const MAX_LINKS = 3;

/** Sends the link to register, or tells the owner of the address that there is an account. */
export async function answerSignUp(
  { store, mailing, clock }: AnswerServices,
  content: unknown,
  id: string,
): Promise<void> {
  const { email, locale: asked } = content as Asked;
  const now = new Date(clock.now());
  const locale = mailing.chooseLocale({ locale: asked });
  const userId = await store.profiles.findUserId(email);
  if (userId !== undefined) {
    await mailing.outbox.queue({ to: email, locale, message: { kind: "account-exists" } }, userId);
    return;
  }
  const mail: LinkedMail = {
    to: email,
    locale,
    link: { purpose: "sign-up", email, expiresAt: new Date(now.getTime() + LINK_LIFETIME_MS) },
    write: (token) => ({ kind: "sign-up", token }),
  };
  await mailing.outbox.replaceWork(id, mail, MAX_LINKS);
}

interface SignUpServices extends StartSessionServices {
  readonly store: Pick<StoreParts, "users" | "signUps">;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
}

export type SignUpOutcome =
  | { readonly kind: "off" | "gone" | "domain-refused" | "not-in-group" | "too-many" }
  | { readonly kind: "username-taken" | "identity-taken" }
  /** An administrator decides. */
  | { readonly kind: "waiting" }
  | { readonly kind: "entered"; readonly user: User; readonly token: IssuedToken };

/**
 * Registers a person whom a provider has sent and whom nobody here knows. The address must be
 * verified if the domain decides.
 */
export async function signUpWith(
  services: SignUpServices,
  policy: SignUpPolicy,
  provider: Provider,
  identity: ProviderIdentity,
  { client, locale }: { readonly client: Client; readonly locale: string },
): Promise<SignUpOutcome> {
  if (policy.mode === "off") return { kind: "off" };
  if (!isInRequiredGroup(provider, identity)) return { kind: "not-in-group" };
  const { email = "", emailIs } = identity;
  const isAdmitted = emailIs === "verified" && isAdmittedAddress(policy, email);
  if ((policy.domains ?? []).length > 0 && !isAdmitted) return { kind: "domain-refused" };
  const now = new Date(services.clock.now());
  const facts = { ...toFacts(provider, identity, now), locale };
  const groups = mapGroups(provider, identity);
  const wanted = {
    username: await findFreeName(services.store, identity, now),
    passwordHash: UNSET_PASSWORD,
    facts,
    groups,
  };
  return signUp(services, policy, wanted, { client, link: undefined });
}

/** Describes the account that a person wants. */
interface WantedAccount {
  readonly username: string;
  readonly passwordHash: PasswordHash;
  readonly facts: NewAccountFacts;
  readonly groups?: readonly string[];
}

const WAITING_LIFETIME_MS = 30 * 86_400_000;

/** Makes the account, or a request for it. With a link, the link is used up. */
export async function signUp(
  services: SignUpServices,
  policy: SignUpPolicy,
  { username, passwordHash, facts, groups = [] }: WantedAccount,
  { client, link }: { readonly client: Client; readonly link: Link | undefined },
): Promise<SignUpOutcome> {
  const { store, clock, events } = services;
  const now = new Date(clock.now());
  if (policy.mode === "open" && link === undefined) {
    const account = { username, passwordHash, ...(groups.length > 0 && { groups }) };
    const user = await store.users.insertAccount(account, facts);
    if (user === "taken") return { kind: "username-taken" };
    if (user === "identity-taken") return { kind: "identity-taken" };
    events.record(createAuditEvent("user_sign_up", { user, client }));
    return { kind: "entered", user, token: startSession(services, user, client) };
  }
  const id = randomBytes(16).toString("hex");
  const request: SignUp = {
    ...{ id, asker: facts.identity?.id ?? facts.email?.toLowerCase() ?? id },
    ...{ username, passwordHash, createdAt: now },
    facts: JSON.stringify({ ...facts, groups }),
    expiresAt: new Date(now.getTime() + WAITING_LIFETIME_MS),
  };
  const outcome = await store.signUps.insert(request, link, now);
  if (outcome === "taken") return { kind: "username-taken" };
  // The administrators know of the earlier request.
  if (outcome === "repeated") return { kind: "waiting" };
  if (outcome === "waiting")
    events.record(createAuditEvent("user_ask", { name: username, client }));
  return { kind: outcome };
}

const MAX_TRIES = 20;

/**
 * Finds a username that nobody has, had or waits for: the one at the provider, the first part of the
 * address, or else one with some digits.
 */
async function findFreeName(
  { users, signUps }: Pick<StoreParts, "users" | "signUps">,
  { username, email, name }: ProviderIdentity,
  now: Date,
): Promise<string> {
  const isFree = async (candidate: string): Promise<boolean> =>
    !(await users.isNameUsed(candidate)) && !(await signUps.isNameAsked(candidate, now));
  const wanted = [username, email?.split("@")[0], name].find(
    (text) => text !== undefined && text !== "" && isUsableUsername(text, MAX_WANTED_BYTES),
  );
  const base = wanted ?? "user";
  if (wanted !== undefined && (await isFree(base))) return base;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const candidate = `${base}-${randomInt(1_000, 10_000)}`;
    if (await isFree(candidate)) return candidate;
  }
  return `${base}-${createRandomText()}`;
}

/** A suffix must fit behind the name. */
const MAX_WANTED_BYTES = 200;
