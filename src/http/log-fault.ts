import { getErrorMessage, toError, Unavailable } from "../lib/fault.ts";
import { getRoutePath, type Paths } from "./paths.ts";
import type { RequestIds } from "./request-id.ts";
import type { WebRequest } from "./web-request.ts";

/** Logs what made a request fail, and returns it as an error. */
export function logFault(
  { requests, paths }: { readonly requests: Pick<RequestIds, "log">; readonly paths: Paths },
  request: WebRequest,
  thrown: unknown,
): Error {
  const error = toError(thrown);
  const { method } = request;
  const path = getRoutePath(paths, request.path);
  if (error instanceof Unavailable) {
    // The line has no stack, because these failures are frequent under load and are not bugs.
    const cause = error.cause === undefined ? {} : { cause: getErrorMessage(error.cause) };
    requests.log.warn({ reason: error.message, ...cause, method, path }, "request put off");
  } else {
    requests.log.error({ err: error, method, path }, "request failed");
  }
  return error;
}
