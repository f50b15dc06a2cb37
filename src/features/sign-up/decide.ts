import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { NewAccountFacts } from "../../db/queries/new-accounts.ts";
import type { NewUser, SignUp } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import type { Mailing } from "../../mail/mailing.ts";

/** Describes the request of a person for an account. */
export interface SignUpRequest {
  readonly id: string;
  readonly username: string;
  /** The groups that the provider gives the person. */
  readonly groups: readonly string[];
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly emailIs: "verified" | "unverified";
  /** The person signs in with this provider. */
  readonly provider?: string | undefined;
  readonly createdAt: Date;
  /** Without a decision, the request is forgotten at this time. */
  readonly expiresAt: Date;
}

/** Lists the requests about which nobody has decided, the oldest first. */
export async function listSignUpRequests(
  { store, clock }: Pick<DecideServices, "store" | "clock">,
  limit: number,
): Promise<readonly SignUpRequest[]> {
  const waiting = await store.signUps.list(limit, new Date(clock.now()));
  return waiting.map((signUp) => {
    const { id, createdAt, expiresAt } = signUp;
    const { account, facts } = readRequest(signUp);
    const { name, email, emailIs = "unverified", identity } = facts;
    return {
      ...{ id, username: account.username, groups: account.groups ?? [] },
      ...{ name, email, emailIs, provider: identity?.provider, createdAt, expiresAt },
    };
  });
}

interface DecideServices {
  readonly clock: Pick<Clock, "now">;
  readonly store: Pick<StoreParts, "signUps">;
  /** Writes an audit log entry that says who decided. */
  readonly record: (event: NewAuditEvent) => unknown;
  readonly mailing?: Pick<Mailing, "outbox" | "chooseLocale"> | undefined;
}

/**
 * Says whether the account was made, or why not: another account has or had the username, or signs in
 * with the identity at the provider.
 */
export type ApproveOutcome = "no-request" | "username-taken" | "identity-taken" | "approved";

/** Makes the account that a person has asked for, and tells the person. */
export async function approveSignUp(
  { store, clock, record, mailing }: DecideServices,
  id: string,
): Promise<ApproveOutcome> {
  let facts: NewAccountFacts = {};
  const user = await store.signUps.approve(id, new Date(clock.now()), (signUp) => {
    const read = readRequest(signUp);
    facts = read.facts;
    return read;
  });
  if (user === "gone") return "no-request";
  if (user === "identity-taken") return user;
  if (user === "taken") return "username-taken";
  await record(createAuditEvent("user_add", { user }));
  const { email: to, emailIs, locale } = facts;
  // Only the person receives mail at a verified address.
  if (to !== undefined && emailIs === "verified") {
    await mailing?.outbox.queue({
      to,
      locale: mailing.chooseLocale({ ...(locale !== undefined && { locale }) }),
      message: { kind: "approved", username: user.username },
    });
  }
  return "approved";
}

/** Removes a request. The person is not told, and can ask again. */
export async function declineSignUp(
  { store, record }: Pick<DecideServices, "store" | "record">,
  id: string,
): Promise<"no-request" | "declined"> {
  const signUp = await store.signUps.remove(id);
  if (signUp === undefined) return "no-request";
  await record(createAuditEvent("user_decline", { name: signUp.username }));
  return "declined";
}

interface RemoveExpiredServices {
  readonly store: Pick<StoreParts, "signUps">;
  readonly clock: Pick<Clock, "now">;
  readonly log: ServerLog;
}

/** Removes requests about which nobody has decided in time. Never fails. */
export async function removeExpiredSignUps({
  store,
  clock,
  log,
}: RemoveExpiredServices): Promise<void> {
  try {
    await store.signUps.removeExpired(new Date(clock.now()));
  } catch (error) {
    log.warn({ reason: getErrorMessage(error) }, "cannot remove expired requests for accounts");
  }
}

/** Returns the account that a person has asked for. */
function readRequest({ username, passwordHash, facts: text }: SignUp): {
  readonly account: NewUser;
  readonly facts: NewAccountFacts;
} {
  const { groups = [], identity, ...facts } = JSON.parse(text);
  return {
    account: { username, passwordHash, ...(groups.length > 0 && { groups }) },
    facts: {
      ...facts,
      ...(identity && {
        identity: {
          ...identity,
          addedAt: new Date(identity.addedAt),
          usedAt: new Date(identity.usedAt),
        },
      }),
    },
  };
}
