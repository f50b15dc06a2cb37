import type { EventLog } from "../audit/event-log.ts";
import type { NewAuditEvent } from "../audit/events.ts";
import type { User, UserId } from "../db/records.ts";
import type { Store } from "../db/store.ts";
import type { AuthenticateRequest } from "../http/authenticate.ts";
import type { WebOptions } from "../http/options.ts";
import type { Paths } from "../http/paths.ts";
import type { ProxyTrust } from "../http/remote-address.ts";
import type { RequestIds } from "../http/request-id.ts";
import type { AuthenticateCookies } from "../http/session-cookie.ts";
import type { Views } from "../http/views.ts";
import type { WebRequest } from "../http/web-request.ts";
import type { AttemptLimiter } from "../identity/attempt-limiter.ts";
import type { CredentialCache } from "../identity/credential-cache.ts";
import type { Passwords } from "../identity/passwords.ts";
import type { Seals } from "../identity/seals.ts";
import type { SessionRecorder } from "../identity/session-recorder.ts";
import type { SessionTokens } from "../identity/session-token.ts";
import type { Limiter } from "../identity/shared-limiter.ts";
import type { WaitingEnds } from "../identity/waiting-ends.ts";
import type { Client } from "../lib/client.ts";
import type { Clock } from "../lib/clock.ts";
import type { Recently } from "../lib/recently.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { Assertions } from "./forward-auth/assertions.ts";
import type { Challenges } from "./passkeys/challenges.ts";
import type { SetupTokenSource } from "./setup/setup-token.ts";

/** What the rules work with, and who asks. Each rule names what it takes of it. */
export interface RuleServices {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: SessionTokens;
  readonly recorder: SessionRecorder;
  /** What the guards of this process remember of sessions, API keys and accounts. */
  readonly credentialCache: CredentialCache;
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
