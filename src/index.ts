import "./lib/node-version.ts";

export type {
  AccountApi,
  FoundApp,
  Keys,
  Links,
  ManagedApps,
  NewSession,
  SecondFactors,
  Sessions,
  SignUps,
  Users,
} from "./account-api.ts";
export type { AddedApp, AddedUser } from "./api-arguments.ts";
export type { AuditEvent, EventListener } from "./audit/event-listener.ts";
export { type AdapterParts, type Auth, createAuth } from "./auth.ts";
export type {
  Account,
  ClientType,
  Device,
  IconScheme,
  Key,
  Link,
  LinkPurpose,
  NewLogEntry,
  Passkey,
  Person,
  Session,
  SigningAlgorithm,
  User,
  UserId,
} from "./db/records.ts";
export type { Store } from "./db/store.ts";
export type { AppDetails, AppFields, FieldProblem } from "./features/apps/app-fields.ts";
export type { IconProblem, SetIconOutcome } from "./features/apps/app-icons.ts";
export type { UrlProblem } from "./features/apps/app-urls.ts";
export type {
  AddAppOutcome,
  ChangeAppOutcome,
  MakeSecretOutcome,
} from "./features/apps/manage-apps.ts";
export type { AddedKey, AddKeyOutcome } from "./features/keys/manage-keys.ts";
export type { LinkAppProblem, MakeLinkOutcome, WantedLink } from "./features/links/make-link.ts";
export type {
  AddUserOutcome,
  RemoveUserOutcome,
  RenameUserOutcome,
  ResetPasswordOutcome,
} from "./features/people/accounts.ts";
export type { SetGroupsOutcome } from "./features/people/set-groups.ts";
export type { ProfileFields, SetProfileOutcome } from "./features/profile/set-profile.ts";
export type { SetupTokenSource } from "./features/setup/setup-token.ts";
export type { ApproveOutcome, SignUpRequest } from "./features/sign-up/decide.ts";
export type { SignUpPolicy } from "./features/sign-up/sign-up.ts";
export { fetchRequest } from "./http/fetch-request.ts";
export type { GuardCheck, GuardResult, OnlyGroups, UserGuard } from "./http/guards.ts";
export type { PostLoginLocation } from "./http/location.ts";
export { nodeRequest } from "./http/node-request.ts";
export type { Answer } from "./http/responses.ts";
export { sendAnswer, toResponse } from "./http/send-answer.ts";
export type { WebRequest } from "./http/web-request.ts";
export type { AllowedHosts } from "./lib/allowed-hosts.ts";
export { Fault, Unavailable } from "./lib/fault.ts";
export { andThen, type MaybePromise } from "./lib/maybe-promise.ts";
export { nameKeyOf } from "./lib/names.ts";
export type { ServerLog } from "./lib/server-log.ts";
export type { WorkQueueLimits } from "./lib/work-queue.ts";
export type {
  AuthOptions,
  GuardOptions,
  HostOptions,
  MailOptions,
  PageOptions,
  SessionOptions,
  SignInOptions,
} from "./options.ts";
export type * from "./pages/page-data.ts";
export type { QrCode } from "./pages/qr-code.ts";
export type { Locale, ShownTime, Words } from "./pages/words.ts";
