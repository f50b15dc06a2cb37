import type { Client } from "../core/base/client.ts";
import type { MaybePromise } from "../core/base/maybe-promise.ts";
import type { Recently } from "../core/base/recently.ts";
import type { EventLog } from "../core/log/event-log.ts";
import type { AllPorts } from "../core/ports.ts";
import type { Assertions } from "../core/sessions/assertions.ts";
import type { SignOutPorts } from "../core/sessions/sign-out.ts";
import type { WaitingEnds } from "../core/sessions/waiting-ends.ts";
import type { SignInPorts } from "../core/sign-in/sign-in.ts";
import type { StoreParts } from "../db/store.ts";
import type { Answer } from "./answers/responses.ts";
import type { CookieGuard } from "./answers/session-cookie.ts";
import type { GuardCheck } from "./guards.ts";
import type { RequestGuard } from "./key-guard.ts";
import type { WebOptions } from "./options.ts";
import type { Site } from "./pages/site.ts";
import type { Paths } from "./paths.ts";
import type { Form } from "./request/form.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import type { RequestIds } from "./request/request-id.ts";
import type { AdmittedRequest, WebRequest } from "./request/web-request.ts";
import type { Views } from "./views.ts";

/** What the rules work with, and the guards. */
export interface RulePorts extends AllPorts, SignInPorts, SignOutPorts {
  readonly store: StoreParts;
  readonly events: EventLog;
  readonly waiting: WaitingEnds | undefined;
  readonly requireAuth: CookieGuard;
  readonly requireUser: CookieGuard;
  /** Whether any account signs in with codes, even if they are not offered, or with passkeys. */
  readonly anyFactor: Readonly<Record<"codes" | "passkeys", Recently<boolean>>>;
  readonly assertions: Assertions | undefined;
}

/** The ports of each part; `undefined` for one that an option turns off. */
export interface PartPorts {
  readonly sessions: RulePorts | undefined;
  readonly codes: RulePorts | undefined;
  readonly devices: RulePorts | undefined;
  readonly passkeys: RulePorts | undefined;
  readonly links: RulePorts;
  readonly keys: RulePorts | undefined;
  readonly people: RulePorts | undefined;
}

/** What answers requests. */
export interface WebPorts {
  readonly rules: RulePorts;
  readonly parts: PartPorts;
  readonly options: WebOptions;
  readonly views: Views;
  readonly paths: Paths;
  readonly assets: Site["assets"];
  readonly requireAuth: GuardCheck;
  /** Admits sessions, and keys where they are on. */
  readonly admit: RequestGuard;
  readonly proxies: ProxyTrust;
  readonly requests: RequestIds;
}

export type Endpoint = (request: WebRequest) => MaybePromise<Answer>;

export type OwnEndpoint = (request: AdmittedRequest) => MaybePromise<Answer>;

/** A request, and all that answers it. */
export interface Visit<Request extends WebRequest = WebRequest> extends WebPorts {
  readonly request: Request;
  readonly client: Client;
}

export const visitOf = <Request extends WebRequest>(
  ports: WebPorts,
  request: Request,
): Visit<Request> => ({ ...ports, request, client: ports.proxies.clientOf(request) });

export type OwnVisit = Visit<AdmittedRequest>;

export type FormEndpoint<Request extends WebRequest = WebRequest> = (
  visit: Visit<Request>,
  form: Form,
) => Promise<Answer>;

export type OwnFormEndpoint = FormEndpoint<AdmittedRequest>;

export type PortsOf<Name extends keyof PartPorts> = NonNullable<PartPorts[Name]>;

/** Answers a posted form with the rules of a part that can be absent. */
export type PartEndpoint<
  Name extends keyof PartPorts,
  Request extends WebRequest = AdmittedRequest,
> = (ports: PortsOf<Name>) => FormEndpoint<Request>;
