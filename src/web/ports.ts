import type { PeoplePorts } from "../core/accounts/accounts.ts";
import type { MaybePromise } from "../core/base/maybe-promise.ts";
import type {
  beginCodes,
  confirmCodes,
  renewRecoveryCodes,
  turnOffCodes,
} from "../core/codes/own-codes.ts";
import type { forgetDevice, listDevices } from "../core/codes/remembered-devices.ts";
import type { HostRule } from "../core/hosts/allowed-hosts.ts";
import type { KeyGuard } from "../core/keys/key-guard.ts";
import type { addKey, revokeKey } from "../core/keys/own-keys.ts";
import type { Client } from "../core/limits/requester.ts";
import type { findLink, useLink } from "../core/links/use-link.ts";
import type {
  addPasskey,
  beginPasskey,
  removePasskey,
  renamePasskey,
} from "../core/passkeys/own-passkeys.ts";
import type { signInWithPasskey } from "../core/passkeys/sign-in-with-passkey.ts";
import type { Codes, Key, LogEntry, Passkey, User, UserId } from "../core/records.ts";
import type { Assertions } from "../core/sessions/assertions.ts";
import type { SessionRules } from "../core/sessions/session-rules.ts";
import type { IssuedToken } from "../core/sessions/session-token.ts";
import type { UserMemory } from "../core/sessions/user-memory.ts";
import type { setUp } from "../core/setup/set-up.ts";
import type { SetupTokenSource } from "../core/setup/setup-token.ts";
import type { changePassword } from "../core/sign-in/change-password.ts";
import type { signIn } from "../core/sign-in/sign-in.ts";
import type { UserStore } from "../core/store.ts";
import type { RefusalOptions } from "./answer-refused.ts";
import type { PostLoginLocation } from "./answers/location.ts";
import type { Answer } from "./answers/responses.ts";
import type { CookieGuard } from "./answers/session-cookie.ts";
import type { GuardCheck } from "./guards.ts";
import type { RequestGuard } from "./key-guard.ts";
import type { OpenSite } from "./pages/site.ts";
import type { Paths } from "./paths.ts";
import type { Form } from "./request/form.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import type { RequestIds } from "./request/request-id.ts";
import type { AdmittedRequest, WebRequest } from "./request/web-request.ts";
import type { Views } from "./views.ts";

type Ready<Rule> = Rule extends (ports: infer _Ports, ...given: infer Given) => infer Outcome
  ? (...given: Given) => Outcome
  : never;

export interface PasskeyRules {
  any(): Promise<boolean>;
  list(user: UserId): Promise<readonly Passkey[]>;
  readonly begin: Ready<typeof beginPasskey>;
  readonly add: Ready<typeof addPasskey>;
  readonly rename: Ready<typeof renamePasskey>;
  readonly remove: Ready<typeof removePasskey>;
  challenge(): string;
  readonly signIn: Ready<typeof signInWithPasskey>;
}

export interface CodeRules {
  /** `undefined` while they are off. */
  find(user: UserId): Promise<Codes | undefined>;
  readonly begin: Ready<typeof beginCodes>;
  readonly confirm: Ready<typeof confirmCodes>;
  readonly renew: Ready<typeof renewRecoveryCodes>;
  readonly turnOff: Ready<typeof turnOffCodes>;
}

/** The rules of devices on which a user needs no code. */
export interface DeviceRules {
  readonly list: Ready<typeof listDevices>;
  readonly forget: Ready<typeof forgetDevice>;
}

export interface LinkRules {
  readonly find: Ready<typeof findLink>;
  readonly use: Ready<typeof useLink>;
  /** Removes expired links, and guests whose account has ended. Never fails. */
  removeEnded(): Promise<void>;
}

/** The rules of the pages for administrators, which load on first use. */
export interface PeopleRules {
  /** The user, if the store has it in the group of administrators at this moment. */
  administrator(id: UserId): Promise<User | undefined>;
  /** The ports of account rules, for changes by this administrator. */
  portsOf(actor: User, client: Client): PeoplePorts;
}

/** The guard that admits keys, and the rules of a user's own. */
export interface KeyRules {
  readonly guard: KeyGuard;
  list(user: UserId): Promise<readonly Key[]>;
  readonly add: Ready<typeof addKey>;
  readonly revoke: Ready<typeof revokeKey>;
}

/** The rules that the endpoints call. A part that is left out is `undefined`. */
export interface WebRules {
  readonly signIn: Ready<typeof signIn>;
  readonly setUp: Ready<typeof setUp>;
  readonly changePassword: Ready<typeof changePassword>;
  readonly passkeys: PasskeyRules | undefined;
  readonly requireAuth: CookieGuard;
  /** Whether one of the secrets has signed the session token. */
  readonly isGenuine: (token: string) => boolean;
  /** Whether the session token is of a sign-in within the last ten minutes. */
  readonly isRecent: (token: string) => boolean;
  /** The token of the same session, which has proven a second factor. */
  readonly proven: (token: string) => IssuedToken | undefined;
  readonly users: UserMemory;
  /** Does nothing if the store keeps no sessions. */
  readonly signOut: (
    cookies: readonly string[],
    client: Client,
    of?: UserId,
  ) => Promise<"ended" | "not-ended">;
  readonly sessions: SessionRules | undefined;
  readonly recentLog: (user: UserId) => Promise<readonly LogEntry[]>;
  readonly codes: CodeRules | undefined;
  readonly devices: DeviceRules | undefined;
  readonly links: LinkRules | undefined;
  readonly people: PeopleRules | undefined;
  readonly keys: KeyRules | undefined;
  readonly assertions: Assertions | undefined;
  /** Whether any account signs in with codes, even if they are not offered. */
  readonly asksForCodes: () => Promise<boolean>;
}

/** The options of the library that concern the endpoints. */
interface WebOptions extends RefusalOptions {
  readonly store: { readonly users: Pick<UserStore, "any"> };
  readonly setupToken: SetupTokenSource;
  /** With it, the setup form has the field `domain`. */
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
  readonly postLoginLocation: PostLoginLocation;
  readonly hosts: HostRule & { readonly trustedOrigins: readonly string[] };
  readonly pages: { readonly appName: string };
  readonly returnDomains: readonly string[];
}

/** What answers requests. */
export interface WebPorts {
  readonly rules: WebRules;
  readonly options: WebOptions;
  readonly views: Views;
  readonly paths: Paths;
  readonly assets: OpenSite["assets"];
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

/** Answers a posted form with the rules of a part that can be absent. */
export type PartEndpoint<Rules, Request extends WebRequest = AdmittedRequest> = (
  rules: Rules,
  ...given: Parameters<FormEndpoint<Request>>
) => Promise<Answer>;
