import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { Requester } from "../base/work-queue.ts";
import { type CheckCodePorts, checkCode } from "../codes/check-code.ts";
import { type Client, networkRequester } from "../limits/requester.ts";
import type { Limiter } from "../limits/shared-limiter.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import { type StartSessionPorts, startSession } from "../sessions/start-session.ts";
import type { UserMemory } from "../sessions/user-memory.ts";
import type { Store, StoredUser, User } from "../store.ts";

export interface SignInPorts extends StartSessionPorts, CheckCodePorts {
  readonly users: UserMemory;
  readonly limiter: Pick<Limiter, "attempt">;
  readonly store: CheckCodePorts["store"] &
    Pick<Store, "findUserByUsername" | "replacePasswordHash">;
  readonly passwords: Passwords;
  readonly events: EventLog;
  readonly log: ServerLog;
}

export interface SignInAttempt extends Client {
  readonly username: string;
  readonly password: string;
  /** For accounts that use one-time codes. */
  readonly code?: string;
}

/** One `rejected` for an unknown user, a wrong password and a wrong code: nothing tells them apart. */
export type SignInOutcome =
  | { readonly kind: "needs-setup" }
  | { readonly kind: "rate-limited" }
  | { readonly kind: "rejected" }
  | { readonly kind: "signed-in"; readonly user: User; readonly token: string };

export async function signIn(ports: SignInPorts, attempt: SignInAttempt): Promise<SignInOutcome> {
  if (!(await ports.users.anyExists())) return { kind: "needs-setup" };

  if ((await ports.limiter.attempt(attempt.remoteAddress)) === "denied") {
    ports.events.record(eventOf("signin_rate_limited", attempt.remoteAddress));
    return { kind: "rate-limited" };
  }

  const requester = networkRequester(attempt);
  const user = await ports.store.findUserByUsername(attempt.username);
  const matches = await ports.passwords.verify(attempt.password, user?.passwordHash, requester);
  if (user === undefined || !matches) return { kind: "rejected" };
  if ((await checkCode(ports, user, attempt.code ?? "")) === "rejected")
    return { kind: "rejected" };

  const token = startSession(ports, user, attempt);
  if (ports.passwords.isOutdated(user.passwordHash)) {
    await renewHash(ports, user, attempt.password, requester);
  }
  ports.events.record(eventOf("signin", user.username, user.id));
  return { kind: "signed-in", user: { id: user.id, username: user.username }, token };
}

/** Replaces a hash of another algorithm or cost. If that fails, the old hash stays in use. */
async function renewHash(
  ports: SignInPorts,
  user: StoredUser,
  password: string,
  requester: Requester,
): Promise<void> {
  try {
    const renewed = await ports.passwords.hash(password, requester);
    await ports.store.replacePasswordHash(user.id, user.passwordHash, renewed);
  } catch (error) {
    ports.log.warn({ reason: messageOf(error) }, "an outdated password hash was not renewed");
  }
}
