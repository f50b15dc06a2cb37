import { parseHostName } from "../lib/host-name.ts";
import { isLocalPath, isReturnTarget } from "../lib/return-target.ts";
import { getPort } from "./location.ts";
import type { WebOptions } from "./options.ts";
import { HANDOFF, isAccountPage, type Paths } from "./paths.ts";
import { isSameHost } from "./same-origin.ts";
import { isOverTls } from "./session-cookie.ts";
import { getHost, getParameter, type WebRequest } from "./web-request.ts";

/** The form field and query parameter that carry the return target through the sign-in. */
export const RETURN_TO = "return_to";

/** Returns the target if it is allowed. Without `returnTo`, an app accepts none. */
export function acceptReturnTarget(
  { guards, standalone, hosts: { publicUrl, cookieDomain } }: WebOptions,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  if (!(guards.returnTo || standalone) || target === undefined) return undefined;
  const isHttps = publicUrl?.startsWith("https:") ?? isOverTls(request);
  const scope = {
    // An http page does not get the Secure session cookie, and others on the network could change it.
    protocols: isHttps ? ["https:"] : ["https:", "http:"],
    origins: publicUrl === undefined ? listRequestOrigins(request, target) : [publicUrl],
    domains: [cookieDomain ?? []].flat(),
    port: getPort(publicUrl),
  };
  return isReturnTarget(target, scope) ? target : undefined;
}

interface ReturnContext {
  readonly options: WebOptions;
  readonly paths: Paths;
  readonly request: WebRequest;
}

/** Returns the target of a sign-in if it is allowed. A page of the account always is. */
export function acceptedSignInTarget(
  { options, paths, request }: ReturnContext,
  target: string | undefined,
): string | undefined {
  const isOwn = target !== undefined && isLocalPath(target) && isAccountPage(paths, target);
  return isOwn ? target : acceptReturnTarget(options, request, target);
}

/** The return target in the query: of a sign-in, or of what turns on a second factor. */
export const readReturnTarget = (context: ReturnContext): string | undefined =>
  acceptedSignInTarget(context, getParameter(context.request, RETURN_TO));

/**
 * The target as a URL, if it is at a host that gets its sessions from a handoff. Latchkey's own host
 * never is, so that it does not send a browser to itself.
 */
export function parseHandoffTarget(
  { returnDomains: domains, hosts: { publicUrl } }: WebOptions,
  target: string | null | undefined,
): URL | undefined {
  const url = URL.parse(target ?? "");
  if (url === null || url.hostname === URL.parse(publicUrl ?? "")?.hostname) return undefined;
  const scope = { protocols: ["https:"], origins: [], domains, port: getPort(publicUrl) };
  return isReturnTarget(target ?? "", scope) ? url : undefined;
}

/** Its root at the host of the request, if that is such a host. */
export function getHandoffRoot(options: WebOptions, request: WebRequest): URL | undefined {
  const port = getPort(options.hosts.publicUrl);
  const host = parseHostName(getHost(request));
  return parseHandoffTarget(options, `https://${host}${port && `:${port}`}/`);
}

/** The host of an accepted target that is not on Latchkey's own host. */
export function findOtherHost(
  options: WebOptions,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  const { publicUrl } = options.hosts;
  if (target?.startsWith(`${HANDOFF}?`)) {
    const query = new URLSearchParams(target.slice(HANDOFF.length));
    return parseHandoffTarget(options, query.get(RETURN_TO))?.host;
  }
  if (target === undefined || !URL.canParse(target)) return undefined;
  const latchkeyHost = publicUrl === undefined ? request.header("host") : new URL(publicUrl).host;
  return isSameHost(target, latchkeyHost) ? undefined : new URL(target).host;
}

/** Without a public URL, the host of the request counts as Latchkey's own. */
function listRequestOrigins(request: WebRequest, target: string): readonly string[] {
  return isSameHost(target, request.header("host")) ? [new URL(target).origin] : [];
}

export function addReturnTo(location: string, target: string | undefined): string {
  if (target === undefined) return location;
  const separator = location.includes("?") ? "&" : "?";
  return `${location}${separator}${RETURN_TO}=${encodeURIComponent(target)}`;
}
