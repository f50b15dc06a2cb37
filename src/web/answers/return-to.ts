import type { HostRule } from "../../core/hosts/allowed-hosts.ts";
import { isReturnTarget } from "../../core/hosts/return-target.ts";
import { isOfHost } from "../request/same-origin.ts";
import type { WebRequest } from "../request/web-request.ts";
import { portOf } from "./location.ts";
import { isOverTls } from "./session-cookie.ts";

/** The form field and query parameter that carry the return target through the sign-in. */
export const RETURN_TO = "return_to";

/** The options that decide which return targets are accepted. */
export interface ReturnOptions {
  readonly guards: { readonly returnTo: boolean };
  readonly standalone: boolean;
  readonly hosts: Omit<HostRule, "allowed">;
}

/** Returns the target if it is allowed. Without `returnTo`, an app accepts none. */
export function acceptedTarget(
  { guards, standalone, hosts: { publicUrl, cookieDomain } }: ReturnOptions,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  if (!(guards.returnTo || standalone) || target === undefined) return undefined;
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

/** The host of an accepted target that is not on Latchkey's own host. */
export function otherHostOf(
  { hosts: { publicUrl } }: ReturnOptions,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  if (target === undefined || !URL.canParse(target)) return undefined;
  const own = publicUrl === undefined ? request.header("host") : new URL(publicUrl).host;
  return isOfHost(target, own) ? undefined : new URL(target).host;
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
