import type { Recently } from "../core/base/recently.ts";
import type { Client } from "../core/limits/requester.ts";
import type { EventLog } from "../core/log/event-log.ts";
import type { AllPorts } from "../core/ports.ts";
import type { User } from "../core/records.ts";
import type { Assertions } from "../core/sessions/assertions.ts";
import type { SignOutPorts, WaitingEnds } from "../core/sessions/sign-out.ts";
import type { SignInPorts } from "../core/sign-in/sign-in.ts";
import type { Store } from "../core/store.ts";
import type { AuthenticateCookies } from "./answers/session-cookie.ts";
import type { AuthenticateRequest } from "./authenticate.ts";
import type { WebOptions } from "./options.ts";
import type { Paths } from "./paths.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import type { RequestIds } from "./request/request-id.ts";
import type { WebRequest } from "./request/web-request.ts";
import type { Views } from "./views.ts";

/** What the rules work with, and who asks. */
export interface RulePorts extends AllPorts, SignInPorts, SignOutPorts {
  /** Does not find users whose account has ended. */
  readonly store: Store;
  /** Finds users whose account has ended too: administrators still manage these. */
  readonly unfilteredStore: Store;
  readonly events: EventLog;
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
  readonly rules: RulePorts;
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
