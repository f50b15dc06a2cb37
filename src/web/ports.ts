import type { Context } from "hono";
import type { HostRule } from "../core/allowed-hosts.ts";
import type { ChangePasswordForm, ChangePasswordOutcome } from "../core/change-password.ts";
import type { LogEntry } from "../core/log-reader.ts";
import type { Client } from "../core/requester.ts";
import type { Guard } from "../core/require-user.ts";
import type { ServerLog } from "../core/server-log.ts";
import type { SetUpForm, SetUpOutcome } from "../core/set-up.ts";
import type { SetupTokenSource } from "../core/setup-token.ts";
import type { SignInAttempt, SignInOutcome } from "../core/sign-in.ts";
import type { Store, UserId } from "../core/store.ts";
import type { UserMemory } from "../core/user-memory.ts";
import type { GuardMiddleware } from "./guards.ts";
import type { PostLoginLocation } from "./location.ts";
import type { Asset } from "./pages/assets.ts";
import type { Paths } from "./paths.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import type { RequestIds } from "./request/request-id.ts";
import type { NoteRefusal } from "./request/warnings.ts";
import type { Responses } from "./responses.ts";
import type { ReturnTo } from "./return-to.ts";
import type { Views } from "./views.ts";

/** What the endpoints use: the rules, the pages, and the options that concern them. */
export interface WebPorts {
  readonly signIn: (attempt: SignInAttempt) => Promise<SignInOutcome>;
  readonly setUp: (form: SetUpForm, client: Client) => Promise<SetUpOutcome>;
  readonly changePassword: (
    userId: UserId,
    form: ChangePasswordForm,
    client: Client,
  ) => Promise<ChangePasswordOutcome>;
  /** The guard of `/forward-auth`. */
  readonly guard: Guard;
  readonly requireAuth: GuardMiddleware;
  readonly users: UserMemory;
  readonly store: Pick<Store, "hasUsers">;
  /** The newest log entries, newest first; `undefined` if the store cannot read them. */
  readonly recentLog: (() => Promise<readonly LogEntry[]>) | undefined;
  readonly setupToken: SetupTokenSource;
  readonly views: Views;
  readonly responses: Responses;
  readonly paths: Paths;
  readonly assets: readonly Asset[];
  readonly returnTo: ReturnTo;
  readonly proxies: ProxyTrust;
  readonly requests: RequestIds;
  readonly log: ServerLog;
  readonly noteRefusal: NoteRefusal;
  readonly warnUntrustedProxy: (c: Context) => void;
  readonly postLoginLocation: PostLoginLocation;
  readonly cookieDomain: string | undefined;
  readonly trustedOrigins: readonly string[];
  readonly hosts: HostRule;
  /** Whether the setup form has the field `domain`. */
  readonly offersDomain: boolean;
  /** Whether `/favicon.svg`, `/robots.txt` and `/.well-known/change-password` are served. */
  readonly siteFiles: boolean;
  readonly health: boolean;
  readonly forwardAuth: boolean;
}
