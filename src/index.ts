import "./core/base/node-version.ts";

export type {
  AccountApi,
  Keys,
  Links,
  NewSession,
  SecondFactors,
  Sessions,
  Users,
} from "./account-api.ts";
export type { AddedUser } from "./api-arguments.ts";
export { type AdapterParts, type Auth, createAuth } from "./auth.ts";
export type {
  AddUserOutcome,
  RemoveUserOutcome,
  RenameUserOutcome,
  ResetPasswordOutcome,
} from "./core/accounts/accounts.ts";
export type { SetGroupsOutcome } from "./core/accounts/set-groups.ts";
export { Fault, Unavailable } from "./core/base/fault.ts";
export { andThen, type MaybePromise } from "./core/base/maybe-promise.ts";
export { nameKeyOf } from "./core/base/names.ts";
export type { ServerLog } from "./core/base/server-log.ts";
export type { WorkQueueLimits } from "./core/base/work-queue.ts";
export type { AllowedHosts } from "./core/hosts/allowed-hosts.ts";
export type { AddedKey, AddKeyOutcome } from "./core/keys/own-keys.ts";
export type { MakeLinkOutcome, WantedLink } from "./core/links/make-link.ts";
export type { AuditEvent, EventListener } from "./core/log/event-listener.ts";
export type { SetupTokenSource } from "./core/setup/setup-token.ts";
export type {
  Account,
  Device,
  Key,
  Link,
  LinkPurpose,
  NewLogEntry,
  Passkey,
  Person,
  Session,
  User,
  UserId,
} from "./db/records.ts";
export type { Store } from "./db/store.ts";
export type { AuthOptions } from "./options.ts";
export type { PostLoginLocation } from "./web/answers/location.ts";
export type { Answer } from "./web/answers/responses.ts";
export { sendAnswer, toResponse } from "./web/answers/send-answer.ts";
export type { GuardCheck, GuardResult, OnlyGroups, UserGuard } from "./web/guards.ts";
export type * from "./web/pages/page-data.ts";
export type { QrCode } from "./web/pages/qr-code.ts";
export type { Locale, ShownTime, Words } from "./web/pages/words.ts";
export { fetchRequest } from "./web/request/fetch-request.ts";
export { nodeRequest } from "./web/request/node-request.ts";
export type { WebRequest } from "./web/request/web-request.ts";
