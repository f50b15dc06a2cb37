import type { Client } from "../core/base/client.ts";
import type { Clock } from "../core/base/clock.ts";
import type { Recently } from "../core/base/recently.ts";
import type { ServerLog } from "../core/base/server-log.ts";
import type { AttemptLimiter } from "../core/limits/attempt-limiter.ts";
import type { Limiter } from "../core/limits/shared-limiter.ts";
import type { EventLog } from "../core/log/event-log.ts";
import type { NewAuditEvent } from "../core/log/events.ts";
import type { Challenges } from "../core/passkeys/challenges.ts";
import type { Passwords } from "../core/passwords/passwords.ts";
import type { Assertions } from "../core/sessions/assertions.ts";
import type { CredentialCache } from "../core/sessions/credential-cache.ts";
import type { Seals } from "../core/sessions/seals.ts";
import type { SessionRecorder } from "../core/sessions/session-recorder.ts";
import type { SessionTokens } from "../core/sessions/session-token.ts";
import type { WaitingEnds } from "../core/sessions/waiting-ends.ts";
import type { SetupTokenSource } from "../core/setup/setup-token.ts";
import type { User, UserId } from "../db/records.ts";
import type { Store } from "../db/store.ts";
import type { AuthenticateCookies } from "./answers/session-cookie.ts";
import type { AuthenticateRequest } from "./authenticate.ts";
import type { WebOptions } from "./options.ts";
import type { Paths } from "./paths.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import type { RequestIds } from "./request/request-id.ts";
import type { WebRequest } from "./request/web-request.ts";
import type { Views } from "./views.ts";

/** What the rules work with, and who asks. Each rule names what it takes of it. */
export interface RuleServices {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: SessionTokens;
  readonly recorder: SessionRecorder;
  /** What the guards of this process remember of sessions, API keys and accounts. */
  readonly memory: CredentialCache;
  /** Must be called after a change of the codes or passkeys of an account, even one that failed. */
  readonly onFactorsChanged: (user: UserId) => void;
  readonly passwords: Passwords;
  readonly seals: Seals;
  /** Of passkeys. */
  readonly challenges: Challenges;
  readonly setupToken: SetupTokenSource;
  /** Called in the background with the domain of the setup form. */
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
  /** Limits sign-ins with a password, by remote address. */
  readonly signInLimiter: Pick<Limiter, "attempt">;
  /** Limits sign-ins with a passkey, by remote address. */
  readonly passkeyLimiter: Pick<Limiter, "attempt">;
  /** Limits the use of one-time links, by remote address. */
  readonly linkLimiter: Pick<Limiter, "attempt">;
  /**
   * Limits the codes of one account, whatever the addresses they come from. In the memory of this
   * process: a query here would tell by its time that the password was right.
   */
  readonly codeLimiter: Pick<AttemptLimiter, "attempt">;
  /** Limits the codes by which one session is handed over. */
  readonly handoffLimiter: Pick<AttemptLimiter, "attempt">;
  readonly events: EventLog;
  /** Writes an entry of the audit log, also where there is no event log, and says who did it. */
  readonly record: (event: NewAuditEvent) => unknown;
  readonly log: ServerLog;
  /** Sessions that have signed out here, and that the database does not know as ended yet. */
  readonly waiting: WaitingEnds | undefined;
  /** Finds out who asks; `needs-setup` while no account exists. */
  readonly authenticate: AuthenticateCookies;
  /** Finds out who asks, and does not check whether an account exists. */
  readonly authenticateOnceSetUp: AuthenticateCookies;
  /** Whether any account signs in with codes, even if they are not offered, or with passkeys. */
  readonly anyFactor: Readonly<Record<"codes" | "passkeys", Recently<boolean>>>;
  /** Signs for apps who asks; `undefined` if that is off. */
  readonly assertions: Assertions | undefined;
}

/** What answers requests. Made once for each `createAuth`. */
export interface Services {
  readonly rules: RuleServices;
  readonly options: WebOptions;
  readonly views: Views;
  readonly paths: Paths;
  /** Finds out who asks by a key, where keys are on, or else by the session. */
  readonly authenticateRequest: AuthenticateRequest;
  readonly proxies: ProxyTrust;
  readonly requests: RequestIds;
  /** Warns the operator of a proxy that is missing from the options. */
  readonly warnOfProxy: (request: WebRequest) => void;
}

/** A request with all that answers it: what an endpoint gets. */
export interface Context extends Services {
  readonly request: WebRequest;
  readonly client: Client;
}

/** The context of a request whose user may use the route. */
export interface UserContext extends Context {
  readonly user: User;
  /** Whether the user has to turn on a second factor first. */
  readonly lacksFactor: boolean;
}
