import type { EventLog } from "../audit/event-log.ts";
import type { NewAuditEvent } from "../audit/events.ts";
import type { User, UserId } from "../db/records.ts";
import type { Store } from "../db/store.ts";
import type { AuthenticateRequest } from "../http/authenticate.ts";
import type { Form } from "../http/form.ts";
import type { WebOptions } from "../http/options.ts";
import type { Paths } from "../http/paths.ts";
import type { ProxyTrust } from "../http/remote-address.ts";
import type { RequestIds } from "../http/request-id.ts";
import type { Answer } from "../http/responses.ts";
import type { AuthenticateCookies } from "../http/session-cookie.ts";
import type { Views } from "../http/views.ts";
import type { WebRequest } from "../http/web-request.ts";
import type { AttemptLimiter } from "../identity/attempt-limiter.ts";
import type { CredentialCache } from "../identity/credential-cache.ts";
import type { Passwords } from "../identity/passwords.ts";
import type { PendingSignOuts } from "../identity/pending-sign-outs.ts";
import type { Seals } from "../identity/seals.ts";
import type { SessionRecorder } from "../identity/session-recorder.ts";
import type { SessionTokens } from "../identity/session-token.ts";
import type { Limiter } from "../identity/shared-limiter.ts";
import type { Client } from "../lib/client.ts";
import type { Clock } from "../lib/clock.ts";
import type { Recently } from "../lib/recently.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { Mailing } from "../mail/mailing.ts";
import type { Outbox } from "../mail/outbox.ts";
import type { ShownApp } from "../pages/page-data.ts";
import type { AppDirectory } from "./apps/app-directory.ts";
import type { AppUseRecorder } from "./apps/app-use-recorder.ts";
import type { Assertions } from "./forward-auth/assertions.ts";
import type { SigningJwk } from "./oidc/signing-keys.ts";
import type { Challenges } from "./passkeys/challenges.ts";
import type { SetupTokenSource } from "./setup/setup-token.ts";

/**
 * Contains the services of the rules, and the functions that identify the user. Each rule names the
 * services that it needs.
 */
export interface RuleServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly tokens: SessionTokens;
  readonly recorder: SessionRecorder;
  /** Caches for the guards of this process what sessions and API keys admit. */
  readonly credentialCache: CredentialCache;
  /**
   * Must be called after each change to the codes or passkeys of an account, even if the change
   * failed.
   */
  readonly onFactorsChanged: (user: UserId) => void;
  readonly passwords: Passwords;
  /** Knows all apps, at most a second old. */
  readonly appDirectory: AppDirectory;
  readonly appUses: AppUseRecorder;
  readonly seals: Seals;
  /** Keeps what is sent in the background. This is `undefined` if nothing is ever sent. */
  readonly outbox: Outbox | undefined;
  /** Writes to people. This is `undefined` without a mail server. */
  readonly mailing: Mailing | undefined;
  /** Reads the keys that sign tokens, newest first, at most a second old. */
  readonly signingKeys: Recently<readonly SigningJwk[]>;
  /** Issues and verifies the challenges of passkeys. */
  readonly challenges: Challenges;
  readonly setupToken: SetupTokenSource;
  /** Runs in the background with the domain of the setup form. */
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
  /** Limits sign-ins with a password, by remote address. */
  readonly signInLimiter: Pick<Limiter, "attempt">;
  /** Limits sign-ins with a passkey, by remote address. */
  readonly passkeyLimiter: Pick<Limiter, "attempt">;
  /** Limits the use of one-time links, by remote address. */
  readonly linkLimiter: Pick<Limiter, "attempt">;
  /** Limits the requests for a new password, by remote address. */
  readonly forgotLimiter: Pick<Limiter, "attempt">;
  /** Limits the messages that confirm an address, by account. */
  readonly confirmationLimiter: Pick<AttemptLimiter, "attempt">;
  /**
   * Limits the codes of one account, regardless of the client address. It counts in the memory of
   * this process, because the time of a query would reveal that the password was right.
   */
  readonly codeLimiter: Pick<AttemptLimiter, "attempt">;
  /** Limits how many handoff codes one session can request. */
  readonly handoffLimiter: Pick<AttemptLimiter, "attempt">;
  /** Limits the sign-ins to apps that clients without a session begin, by remote address. */
  readonly appSignInLimiter: Pick<AttemptLimiter, "attempt">;
  readonly events: EventLog;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
  readonly log: ServerLog;
  /** Contains sessions that were signed out here and that the database has not ended yet. */
  readonly pendingSignOuts: PendingSignOuts;
  /** Identifies the user. Returns `needs-setup` while no account exists. */
  readonly authenticate: AuthenticateCookies;
  /** Identifies the user without checking whether an account exists. */
  readonly authenticateOnceSetUp: AuthenticateCookies;
  /**
   * Reads whether any account signs in with codes, even if codes are not offered, or with passkeys.
   */
  readonly anyFactor: Readonly<Record<"codes" | "passkeys", Recently<boolean>>>;
  /** Signs assertions that identify the user to apps. This is `undefined` if assertions are off. */
  readonly assertions: Assertions | undefined;
}

/** Answers what belongs to OpenID Connect. Its code is loaded with the first request. */
export interface OidcPages {
  /** Answers a request for an endpoint of the provider. */
  answer(request: WebRequest): Promise<Answer>;
  /** Continues a sign-in to an app. */
  getInteraction(context: Context): Promise<Answer>;
  postInteraction(context: Context, form: Form): Promise<Answer>;
  /** Says for the sign-in page which app a sign-in is for. */
  findSignInApp(context: Context, returnTo: string): Promise<SignInApp | undefined>;
}

export interface SignInApp {
  readonly app: ShownApp;
  /** Lists the origins or schemes to which the sign-in returns, for the policy of its forms. */
  readonly returning: readonly string[];
  /** The app expects this user. The text comes from the app. */
  readonly loginHint: string | undefined;
}

/** Creates the pages of OpenID Connect. `latchkey/oidc` exports it. */
export type CreateOidcPages = (services: Services) => Promise<OidcPages>;

/** Contains the services that answer requests. Each `createAuth` call creates them once. */
export interface Services {
  readonly rules: RuleServices;
  readonly options: WebOptions;
  readonly views: Views;
  readonly paths: Paths;
  /** Identifies the user by an API key if API keys are on, or else by the session. */
  readonly authenticateRequest: AuthenticateRequest;
  readonly proxies: ProxyTrust;
  readonly requests: RequestIds;
  /** This is `undefined` if the app does not offer OpenID Connect. */
  readonly oidc: (() => Promise<OidcPages>) | undefined;
  /** Warns the operator if a proxy is missing from the options. */
  readonly warnOfProxy: (request: WebRequest) => void;
}

/** Contains a request and the services that answer it. Each endpoint gets this context. */
export interface Context extends Services {
  readonly request: WebRequest;
  readonly client: Client;
}

/** Contains the context of a request whose user may use the route. */
export interface UserContext extends Context {
  readonly user: User;
  /** True if the user must first turn on a second factor. */
  readonly lacksFactor: boolean;
}
