import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { Requester } from "../base/work-queue.ts";
import { type CheckCodePorts, checkCode } from "../codes/check-code.ts";
import { type Client, networkRequester } from "../limits/requester.ts";
import type { Limiter } from "../limits/shared-limiter.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import { type StoredUser, type User, type UserId, userOf } from "../records.ts";
import type { IssuedToken } from "../sessions/session-token.ts";
import { type StartSessionPorts, startSession } from "../sessions/start-session.ts";
import type { UserMemory } from "../sessions/user-memory.ts";
import type { UserStore } from "../store.ts";

export interface SignInPorts extends StartSessionPorts, CheckCodePorts {
  readonly users: UserMemory;
  readonly limiter: Pick<Limiter, "attempt">;
  readonly store: CheckCodePorts["store"] & {
    readonly users: Pick<UserStore, "findByName" | "replaceHash">;
  };
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
  | { readonly kind: "signed-in"; readonly user: User; readonly token: IssuedToken };

export async function signIn(ports: SignInPorts, attempt: SignInAttempt): Promise<SignInOutcome> {
  if (!(await ports.users.anyExists())) return { kind: "needs-setup" };

  if ((await ports.limiter.attempt(attempt.remoteAddress)) === "denied") {
    ports.events.record(eventOf("signin_rate_limited", { client: attempt }));
    return { kind: "rate-limited" };
  }

  const requester = networkRequester(attempt);
  const user = await ports.store.users.findByName(attempt.username);
  // Before the password and for any username, so that its time tells nothing.
  const codes = await ports.store.codes?.find(user?.id ?? NOBODY);
  const matches = await ports.passwords.verify(attempt.password, user?.passwordHash, requester);
  if (user === undefined || !matches) return { kind: "rejected" };
  if ((await checkCode(ports, { user, codes }, attempt.code ?? "", attempt)) === "rejected")
    return { kind: "rejected" };

  const token = startSession(ports, user, attempt);
  if (ports.passwords.isOutdated(user.passwordHash)) {
    await renewHash(ports, user, attempt.password, requester);
  }
  ports.events.record(eventOf("signin", { user, client: attempt }));
  return { kind: "signed-in", user: userOf(user), token };
}

const NOBODY = "" as UserId;

/** Replaces a hash of another algorithm or cost. If that fails, the old hash stays in use. */
async function renewHash(
  ports: SignInPorts,
  user: StoredUser,
  password: string,
  requester: Requester,
): Promise<void> {
  try {
    const renewed = await ports.passwords.hash(password, requester);
    await ports.store.users.replaceHash(user.id, user.passwordHash, renewed);
  } catch (error) {
    ports.log.warn({ reason: messageOf(error) }, "an outdated password hash was not renewed");
  }
}
