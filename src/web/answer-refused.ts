import { type Answer, redirect, respondJson } from "./answers/responses.ts";
import { acceptedTarget, withReturnTo } from "./answers/return-to.ts";
import { asksForKey } from "./key-guard.ts";
import type { WebOptions } from "./options.ts";
import { KIND_HEADERS, kindOfRequest } from "./request/request-kind.ts";
import type { WebRequest } from "./request/web-request.ts";

/** A 401 needs a challenge. Browsers open a dialog for the schemes that they know, not for this. */
export const COOKIE_CHALLENGE = {
  "WWW-Authenticate": 'Cookie cookie-name="session"',
};

/**
 * Answers a request that a guard does not admit.
 *
 * @param path is that of the sign-in or the setup.
 */
export function answerRefused(options: WebOptions, path: string, request: WebRequest): Answer {
  const returningTo = (target: string | undefined): string =>
    options.guards.returnTo ? withReturnTo(path, acceptedTarget(options, request, target)) : path;
  const kind = kindOfRequest(request.method, request);
  const vary = options.guards.onDenied === "negotiate" && { Vary: KIND_HEADERS };
  if (vary && kind === "call") {
    const isHtmx = request.header("hx-request") !== undefined;
    const leave = isHtmx && { "HX-Redirect": returningTo(request.header("hx-current-url")) };
    const challenge = (options.guards.keys && asksForKey(request)) || COOKIE_CHALLENGE;
    return respondJson({ error: "sign_in_required" }, 401, { ...challenge, ...vary, ...leave });
  }
  const location = kind === "page" ? returningTo(`${request.path}${request.query}`) : path;
  return redirect(location, [], { ...vary });
}

/** Answers a program whose user is not admitted; `undefined` for what gets the page. */
export const excludedCall = (options: WebOptions, request: WebRequest): Answer | undefined =>
  options.guards.onDenied === "negotiate" && kindOfRequest(request.method, request) === "call"
    ? respondJson({ error: "no_access" }, 403, { Vary: KIND_HEADERS })
    : undefined;
