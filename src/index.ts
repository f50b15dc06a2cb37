export { type Auth, createAuth, type RequestWithCookies } from "./auth.ts";
export { Fault, Unavailable } from "./core/fault.ts";
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
export type { GuardMiddleware, SignedIn } from "./web/guards.ts";
