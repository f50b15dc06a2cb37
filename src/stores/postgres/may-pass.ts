import { codeOf, messageOf, Unavailable } from "../../core/base/fault.ts";
import { isSqlState, TEMPORARY } from "./query.ts";

/** The driver's messages about a certificate, a server without TLS, or a missing password. */
const LASTING = /certificate|SSL|SASL/;

/** Whether a failure to open the store may pass without a change of its configuration. */
export const mayPass = (error: unknown): boolean =>
  error instanceof Unavailable && !isLasting(error.cause);

/** With several hosts, or several addresses of one, each must have failed for good. */
function isLasting(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isLasting);
  const code = codeOf(cause);
  if (isSqlState(code)) return !TEMPORARY.test(code);
  if (!(cause instanceof Error) || "syscall" in cause) return false;
  return cause.cause === undefined ? LASTING.test(messageOf(cause)) : isLasting(cause.cause);
}
