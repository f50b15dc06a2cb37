export {
  type AdapterParts,
  type Auth,
  createAuth,
  type RequestHeaders,
  type RequestWithCookies,
} from "./auth.ts";
export type { AllowedHosts } from "./core/allowed-hosts.ts";
export { Fault, Unavailable } from "./core/fault.ts";
export { andThen, type MaybePromise } from "./core/maybe-promise.ts";
export type { EntryMeter, Levels, Meter, WorkMeter } from "./core/meter.ts";
export type { ServerLog } from "./core/server-log.ts";
export type { SetupTokenSource } from "./core/setup-token.ts";
export type {
  NewLogEntry,
  NewUser,
  PasswordHash,
  Store,
  StoredUser,
  User,
  UserId,
} from "./core/store.ts";
export type { WorkQueueLimits } from "./core/work-queue.ts";
export type { AuthOptions } from "./options.ts";
export type { GuardCheck, GuardMiddleware, GuardResult, SignedIn } from "./web/guards.ts";
export type { PostLoginLocation } from "./web/location.ts";
export type { PageFunctions, PageHelpers } from "./web/pages/page-data.ts";
export type { Locale } from "./web/pages/words.ts";
export type { Connection } from "./web/request/connection.ts";
export {
  type HeaderReader,
  type NodeRequest,
  nodeRequestInfo,
  type RequestInfo,
  type RequestLike,
  type RequestSource,
  requestInfo,
} from "./web/request/request-info.ts";
