import { type Answer, type Headers, redirect, respondJson } from "./answers/responses.ts";
import { acceptedTarget, type ReturnOptions, withReturnTo } from "./answers/return-to.ts";
import { KIND_HEADERS, kindOfRequest } from "./request/request-kind.ts";
import type { WebRequest } from "./request/web-request.ts";

/** The options that decide how a guard refuses. */
export interface RefusalOptions extends ReturnOptions {
  readonly onDenied: "redirect" | "negotiate";
}

const UNAUTHORIZED = {
  // A 401 needs a challenge. Browsers open a dialog for the schemes that they know, not for this.
  "WWW-Authenticate": 'Cookie cookie-name="session"',
};

/**
 * Answers a request that a guard does not admit.
 *
 * @param path is that of the sign-in or the setup.
 */
export function refuse(options: RefusalOptions, path: string, request: WebRequest): Answer {
  const returningTo = (target: string | undefined): string => {
    if (!options.returnTo) return path;
    const isHttps = request.header("x-forwarded-proto") === "https";
    const asked = { host: request.header("host"), isHttps };
    return withReturnTo(path, acceptedTarget(options, asked, target));
  };
  const kind = kindOfRequest(request.method, request);
  const negotiates = options.onDenied === "negotiate";
  const vary: Headers = negotiates ? { Vary: KIND_HEADERS } : {};
  if (negotiates && kind === "call") {
    const isHtmx = request.header("hx-request") !== undefined;
    const leave = isHtmx && { "HX-Redirect": returningTo(request.header("hx-current-url")) };
    const headers = { ...UNAUTHORIZED, ...vary, ...leave };
    return respondJson({ error: "sign_in_required" }, 401, headers);
  }
  const location = kind === "page" ? returningTo(`${request.path}${request.query}`) : path;
  return redirect(location, [], vary);
}
