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
export type { GuardCheck, GuardResult } from "./web/guards.ts";
export type { PostLoginLocation } from "./web/location.ts";
export type { PageFunctions, PageHelpers } from "./web/pages/page-data.ts";
export type { Locale } from "./web/pages/words.ts";
export { fetchRequest, type RequestLike } from "./web/request/fetch-request.ts";
export { type NodeRequest, type NodeResponse, nodeRequest } from "./web/request/node-request.ts";
export type { RequestSource } from "./web/request/request-id.ts";
export type { Connection, WebRequest } from "./web/request/web-request.ts";
export type { Answer } from "./web/responses.ts";
export { sendAnswer } from "./web/send-answer.ts";
export { toResponse } from "./web/to-response.ts";
