import type { Context } from "hono";
import { isReturnTarget } from "../core/return-target.ts";
import { portOf } from "./location.ts";
import type { WebOptions } from "./ports.ts";
import { isOfHost } from "./request/same-origin.ts";
import { isOverTls } from "./session-cookie.ts";

/** The form field and query parameter that carry the return target through the sign-in. */
export const RETURN_TO = "return_to";

/** Returns the target if it is allowed. Without forward auth, none is. */
export function acceptedTarget(
  options: Pick<WebOptions, "forwardAuth" | "publicUrl" | "cookieDomain">,
  c: Context,
  target: string | undefined,
): string | undefined {
  const { forwardAuth, publicUrl, cookieDomain } = options;
  if (!forwardAuth || target === undefined) return undefined;
  const isHttps = publicUrl?.startsWith("https:") ?? isOverTls(c);
  const scope = {
    // An http page does not get the Secure session cookie, and others on the network could change it.
    protocols: isHttps ? ["https:"] : ["https:", "http:"],
    origins: publicUrl === undefined ? askedOrigin(c, target) : [publicUrl],
    domain: cookieDomain,
    port: portOf(publicUrl),
  };
  return isReturnTarget(target, scope) ? target : undefined;
}

/** Without a public URL, the host of the request counts as the gate's own. */
function askedOrigin(c: Context, target: string): readonly string[] {
  return isOfHost(target, c.req.header("host")) ? [new URL(target).origin] : [];
}

/** Adds the return target, if there is one, to a location. */
export function withReturnTo(location: string, target: string | undefined): string {
  if (target === undefined) return location;
  const separator = location.includes("?") ? "&" : "?";
  return `${location}${separator}${RETURN_TO}=${encodeURIComponent(target)}`;
}
