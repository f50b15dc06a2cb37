import { createAuditEvent } from "../../audit/events.ts";
import {
  type PasswordHash,
  type StoredUser,
  toPublicUser,
  type User,
  type UserId,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { CredentialCache } from "../../identity/credential-cache.ts";
import type { Passwords } from "../../identity/passwords.ts";
import { createNetworkRequester } from "../../identity/requester.ts";
import type { IssuedToken } from "../../identity/session-token.ts";
import type { Limiter } from "../../identity/shared-limiter.ts";
import { type StartSessionServices, startSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import { digestText } from "../../lib/random-text.ts";
import type { Requester } from "../../lib/work-queue.ts";
import { type CheckCodeServices, checkCode } from "../codes/check-code.ts";
import {
  isRemembered,
  type RememberDeviceServices,
  rememberDevice,
} from "../codes/remembered-devices.ts";

export interface SignInServices
  extends StartSessionServices,
    CheckCodeServices,
    RememberDeviceServices {
  readonly store: Pick<StoreParts, "users" | "codes" | "devices">;
  readonly credentialCache: CredentialCache;
  readonly signInLimiter: Pick<Limiter, "attempt">;
  readonly passwords: Passwords;
}

export interface SignInAttempt extends Client {
  readonly username: string;
  readonly password: string;
  /** Accounts that use one-time codes need this code. */
  readonly code?: string;
  /** This is the cookie of a remembered device. */
  readonly device?: string | undefined;
  /** If true and the code is correct, this device is remembered. */
  readonly remembersDevice?: boolean;
}

/**
 * The outcome is `rejected` for an unknown user, a wrong password and a wrong code, so that it does
 * not reveal the reason.
 */
export type SignInOutcome =
  | { readonly kind: "needs-setup" | "rate-limited" | "rejected" }
  | {
      readonly kind: "signed-in";
      readonly user: User;
      readonly token: IssuedToken;
      /** This is the cookie value of a device that is now remembered. */
      readonly device?: string | undefined;
    };

export async function signIn(
  services: SignInServices,
  attempt: SignInAttempt,
): Promise<SignInOutcome> {
  if (!(await services.credentialCache.anyExists())) return { kind: "needs-setup" };

  if ((await services.signInLimiter.attempt(attempt.remoteAddress)) === "denied") {
    services.events.record(createAuditEvent("signin_rate_limited", { client: attempt }));
    return { kind: "rate-limited" };
  }

  const requester = createNetworkRequester(attempt);
  const user = await services.store.users.findActiveByName(
    attempt.username,
    new Date(services.clock.now()),
  );
  // These queries run before the password check and for any username, so that their time reveals
  // nothing.
  const [codes, device] = await Promise.all([
    services.store.codes.find(user?.id ?? NOBODY),
    findRememberedDevice(services, attempt),
  ]);
  const matches = await services.passwords.verify(attempt.password, user?.passwordHash, requester);
  if (user === undefined || !matches) return { kind: "rejected" };
  const checked = isRemembered(services, { user, codes }, device)
    ? "remembered"
    : await checkCode(services, { user, codes }, attempt.code ?? "", attempt);
  if (checked === "rejected") return { kind: "rejected" };
  // An account that was removed before its codes were read also has no codes, so it is checked
  // again.
  const now = new Date(services.clock.now());
  if (checked === "not-needed" && !(await services.store.users.findActive(user.id, now)))
    return { kind: "rejected" };

  const factors = checked === "not-needed" ? 1 : 2;
  const token = startSession(services, user, attempt, factors);
  const passwordHash = await renewHash(services, user, attempt.password, requester);
  services.events.record(createAuditEvent("signin", { user, client: attempt }));
  const holder = { user: { ...user, passwordHash }, codes };
  const isAsked = checked === "accepted" && attempt.remembersDevice === true;
  const remembered = isAsked ? await rememberDevice(services, holder, attempt) : undefined;
  return { kind: "signed-in", user: toPublicUser(user), token, device: remembered };
}

async function findRememberedDevice(
  { store, clock }: SignInServices,
  { device = "" }: SignInAttempt,
) {
  return device === "" ? undefined : store.devices.find(digestText(device), new Date(clock.now()));
}

const NOBODY = "" as UserId;

/** Replaces a hash that has another algorithm or cost. If this fails, the old hash stays in use. */
async function renewHash(
  services: SignInServices,
  user: StoredUser,
  password: string,
  requester: Requester,
): Promise<PasswordHash> {
  const { id, passwordHash } = user;
  if (!services.passwords.isOutdated(passwordHash)) return passwordHash;
  try {
    const renewed = await services.passwords.hash(password, requester);
    const isRenewed = await services.store.users.replaceHash(id, passwordHash, renewed, "links");
    return isRenewed ? renewed : passwordHash;
  } catch (error) {
    services.log.warn(
      { reason: getErrorMessage(error) },
      "an outdated password hash was not renewed",
    );
    return passwordHash;
  }
}
