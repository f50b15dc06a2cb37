import { isReturnTarget } from "../../core/hosts/return-target.ts";
import { isOfHost } from "../request/same-origin.ts";
import type { WebRequest } from "../request/web-request.ts";
import { portOf } from "./location.ts";
import { isOverTls } from "./session-cookie.ts";

/** The form field and query parameter that carry the return target through the sign-in. */
export const RETURN_TO = "return_to";

/** The options that decide which return targets are accepted. */
export interface ReturnOptions {
  readonly returnTo: boolean;
  readonly forwardAuth: boolean;
  readonly publicUrl: string | undefined;
  readonly cookieDomain: string | undefined;
}

/** Returns the target if it is allowed. Without `returnTo` and forward auth, none is. */
export function acceptedTarget(
  { returnTo, forwardAuth, publicUrl, cookieDomain }: ReturnOptions,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  if (!(returnTo || forwardAuth) || target === undefined) return undefined;
  const isHttps = publicUrl?.startsWith("https:") ?? isOverTls(request);
  const scope = {
    // An http page does not get the Secure session cookie, and others on the network could change it.
    protocols: isHttps ? ["https:"] : ["https:", "http:"],
    origins: publicUrl === undefined ? requestedOrigin(request, target) : [publicUrl],
    domain: cookieDomain,
    port: portOf(publicUrl),
  };
  return isReturnTarget(target, scope) ? target : undefined;
}

/** Without a public URL, the host of the request counts as Latchkey's own. */
function requestedOrigin(request: WebRequest, target: string): readonly string[] {
  return isOfHost(target, request.header("host")) ? [new URL(target).origin] : [];
}

/** Adds the return target, if there is one, to a location. */
export function withReturnTo(location: string, target: string | undefined): string {
  if (target === undefined) return location;
  const separator = location.includes("?") ? "&" : "?";
  return `${location}${separator}${RETURN_TO}=${encodeURIComponent(target)}`;
}
