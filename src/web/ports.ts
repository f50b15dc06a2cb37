import type { HostRule } from "../core/allowed-hosts.ts";
import type { ChangePasswordForm, ChangePasswordOutcome } from "../core/change-password.ts";
import type { TurnOffCodesOutcome } from "../core/codes/turn-off-codes.ts";
import type { BeginCodesOutcome, ConfirmCodesOutcome } from "../core/codes/turn-on-codes.ts";
import type { LogEntry } from "../core/log-reader.ts";
import type { AddPasskeyOutcome, NewPasskey } from "../core/passkeys/add-passkey.ts";
import type { BeginPasskeyOutcome, Reauthentication } from "../core/passkeys/begin-passkey.ts";
import type { RelyingParty } from "../core/passkeys/relying-party.ts";
import type { RemovePasskeyOutcome } from "../core/passkeys/remove-passkey.ts";
import type { PasskeyAnswer } from "../core/passkeys/sign-in-with-passkey.ts";
import type { RefusalLog } from "../core/refusal-log.ts";
import type { Client } from "../core/requester.ts";
import type { Guard } from "../core/require-user.ts";
import type { AccountSessions } from "../core/sessions/account-sessions.ts";
import type { SetUpForm, SetUpOutcome } from "../core/set-up.ts";
import type { SetupTokenSource } from "../core/setup-token.ts";
import type { SignInAttempt, SignInOutcome } from "../core/sign-in.ts";
import type { Store, UserId } from "../core/store.ts";
import type { UserMemory } from "../core/user-memory.ts";
import type { GuardCheck } from "./guards.ts";
import type { PostLoginLocation } from "./location.ts";
import type { Asset } from "./pages/assets.ts";
import type { Paths } from "./paths.ts";
import type { RefusalOptions } from "./refuse.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import type { RequestIds } from "./request/request-id.ts";
import type { Views } from "./views.ts";

/** The rules about passkeys. */
export interface PasskeyRules {
  begin(userId: UserId, entered: Reauthentication, client: Client): Promise<BeginPasskeyOutcome>;
  add(userId: UserId, passkey: NewPasskey, party: RelyingParty): Promise<AddPasskeyOutcome>;
  remove(
    userId: UserId,
    passkeyId: string,
    currentPassword: string,
    client: Client,
  ): Promise<RemovePasskeyOutcome>;
  /** A challenge for a sign-in. */
  challenge(): string;
  signIn(
    answer: PasskeyAnswer,
    party: RelyingParty | undefined,
    client: Client,
  ): Promise<SignInOutcome>;
}

/** The rules that the endpoints call. */
export interface WebRules {
  signIn(attempt: SignInAttempt): Promise<SignInOutcome>;
  setUp(form: SetUpForm, client: Client): Promise<SetUpOutcome>;
  changePassword(
    userId: UserId,
    form: ChangePasswordForm,
    client: Client,
  ): Promise<ChangePasswordOutcome>;
  /** `undefined` if passkeys are left out. */
  readonly passkeys: PasskeyRules | undefined;
  readonly requireAuth: Guard;
  readonly users: UserMemory;
  readonly refusals: RefusalLog;
  /** `undefined` if the store keeps no sessions, or if they are left out. */
  readonly sessions: AccountSessions | undefined;
  /** The newest log entries, newest first; `undefined` if the store cannot read them. */
  readonly recentLog: (() => Promise<readonly LogEntry[]>) | undefined;
  /** `undefined` if they are not offered. */
  readonly codes: CodeRules | undefined;
}

/** The rules of one-time codes on the home page. */
export interface CodeRules {
  begin(userId: UserId, currentPassword: string, client: Client): Promise<BeginCodesOutcome>;
  confirm(userId: UserId, sealed: string, code: string): Promise<ConfirmCodesOutcome>;
  turnOff(
    userId: UserId,
    form: { readonly currentPassword: string; readonly code: string },
    client: Client,
  ): Promise<TurnOffCodesOutcome>;
}

/** The options of the library that concern the endpoints. */
export interface WebOptions extends HostRule, RefusalOptions {
  readonly store: Pick<Store, "hasUsers" | "findUser">;
  readonly setupToken: SetupTokenSource;
  /** With it, the setup form has the field `domain`. */
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
  readonly appName: string;
  readonly postLoginLocation: PostLoginLocation;
  readonly trustedOrigins: readonly string[];
  readonly signOut: "cookie" | "session";
  readonly siteFiles: boolean;
  readonly health: boolean;
}

/** What the endpoints use. */
export interface WebPorts {
  readonly rules: WebRules;
  readonly options: WebOptions;
  readonly views: Views;
  readonly paths: Paths;
  readonly assets: readonly Asset[];
  readonly requireAuth: GuardCheck;
  readonly proxies: ProxyTrust;
  readonly requests: RequestIds;
}

/** What an endpoint uses that exists only with these rules. */
export type With<Name extends "sessions" | "codes" | "passkeys"> = WebPorts & {
  readonly [Rules in Name]: NonNullable<WebRules[Rules]>;
};
