import {
  type PasswordHash,
  type StoredUser,
  type User,
  type UserId,
  userOf,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Client } from "../base/client.ts";
import { messageOf } from "../base/fault.ts";
import { hashOf } from "../base/random-text.ts";
import type { Requester } from "../base/work-queue.ts";
import { type CheckCodePorts, checkCode } from "../codes/check-code.ts";
import {
  isRemembered,
  type RememberDevicePorts,
  rememberDevice,
} from "../codes/remembered-devices.ts";
import { networkRequester } from "../limits/requester.ts";
import type { Limiter } from "../limits/shared-limiter.ts";
import { eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { CredentialCache } from "../sessions/credential-cache.ts";
import type { IssuedToken } from "../sessions/session-token.ts";
import { type StartSessionPorts, startSession } from "../sessions/start-session.ts";

export interface SignInPorts extends StartSessionPorts, CheckCodePorts, RememberDevicePorts {
  readonly store: Pick<StoreParts, "users" | "codes" | "devices">;
  readonly memory: CredentialCache;
  readonly signInLimiter: Pick<Limiter, "attempt">;
  readonly passwords: Passwords;
}

export interface SignInAttempt extends Client {
  readonly username: string;
  readonly password: string;
  /** For accounts that use one-time codes. */
  readonly code?: string;
  /** The cookie of a remembered device. */
  readonly device?: string | undefined;
  /** Whether to remember this device, if the code is right. */
  readonly remembersDevice?: boolean;
}

/** One `rejected` for an unknown user, a wrong password and a wrong code: nothing tells them apart. */
export type SignInOutcome =
  | { readonly kind: "needs-setup" | "rate-limited" | "rejected" }
  | {
      readonly kind: "signed-in";
      readonly user: User;
      readonly token: IssuedToken;
      /** For the cookie of a device that is remembered from now on. */
      readonly device?: string | undefined;
    };

export async function signIn(ports: SignInPorts, attempt: SignInAttempt): Promise<SignInOutcome> {
  if (!(await ports.memory.anyExists())) return { kind: "needs-setup" };

  if ((await ports.signInLimiter.attempt(attempt.remoteAddress)) === "denied") {
    ports.events.record(eventOf("signin_rate_limited", { client: attempt }));
    return { kind: "rate-limited" };
  }

  const requester = networkRequester(attempt);
  const user = await ports.store.users.findActiveByName(
    attempt.username,
    new Date(ports.clock.now()),
  );
  // Before the password and for any username, so that its time tells nothing.
  const [codes, device] = await Promise.all([
    ports.store.codes.find(user?.id ?? NOBODY),
    knownDevice(ports, attempt),
  ]);
  const matches = await ports.passwords.verify(attempt.password, user?.passwordHash, requester);
  if (user === undefined || !matches) return { kind: "rejected" };
  const checked = isRemembered(ports, { user, codes }, device)
    ? "remembered"
    : await checkCode(ports, { user, codes }, attempt.code ?? "", attempt);
  if (checked === "rejected") return { kind: "rejected" };
  // It has no codes either if it was removed before they were read.
  const now = new Date(ports.clock.now());
  if (checked === "not-needed" && !(await ports.store.users.findActive(user.id, now)))
    return { kind: "rejected" };

  const factors = checked === "not-needed" ? 1 : 2;
  const token = startSession(ports, user, attempt, factors);
  const passwordHash = await renewedHash(ports, user, attempt.password, requester);
  ports.events.record(eventOf("signin", { user, client: attempt }));
  const holder = { user: { ...user, passwordHash }, codes };
  const isAsked = checked === "accepted" && attempt.remembersDevice === true;
  const remembered = isAsked ? await rememberDevice(ports, holder, attempt) : undefined;
  return { kind: "signed-in", user: userOf(user), token, device: remembered };
}

async function knownDevice({ store, clock }: SignInPorts, { device = "" }: SignInAttempt) {
  return device === "" ? undefined : store.devices.find(hashOf(device), new Date(clock.now()));
}

const NOBODY = "" as UserId;

/** Replaces a hash of another algorithm or cost. If that fails, the old hash stays in use. */
async function renewedHash(
  ports: SignInPorts,
  user: StoredUser,
  password: string,
  requester: Requester,
): Promise<PasswordHash> {
  const { id, passwordHash } = user;
  if (!ports.passwords.isOutdated(passwordHash)) return passwordHash;
  try {
    const renewed = await ports.passwords.hash(password, requester);
    const isRenewed = await ports.store.users.replaceHash(id, passwordHash, renewed, "links");
    return isRenewed ? renewed : passwordHash;
  } catch (error) {
    ports.log.warn({ reason: messageOf(error) }, "an outdated password hash was not renewed");
    return passwordHash;
  }
}
