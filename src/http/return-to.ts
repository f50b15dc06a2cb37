import { parseHostName } from "../lib/host-name.ts";
import { isLocalPath, isReturnTarget } from "../lib/return-target.ts";
import { getPort } from "./location.ts";
import type { WebOptions } from "./options.ts";
import { HANDOFF, isAccountPage, type Paths } from "./paths.ts";
import { isSameHost } from "./same-origin.ts";
import { isOverTls } from "./session-cookie.ts";
import { getHost, getParameter, type WebRequest } from "./web-request.ts";

/** This form field and query parameter carries the return target through the sign-in. */
export const RETURN_TO = "return_to";

/** Returns the target if it is allowed. Without the option `returnTo`, an app accepts no target. */
export function acceptReturnTarget(
  { guards, standalone, hosts: { publicUrl, cookieDomain } }: WebOptions,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  if (!(guards.returnTo || standalone) || target === undefined) return undefined;
  const isHttps = publicUrl?.startsWith("https:") ?? isOverTls(request);
  const scope = {
    // An http page does not get the Secure session cookie, and attackers on the network could
    // change the page.
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

/** Returns the target of a sign-in if it is allowed. Pages of the account are always allowed. */
export function acceptedSignInTarget(
  { options, paths, request }: ReturnContext,
  target: string | undefined,
): string | undefined {
  const isOwn = target !== undefined && isLocalPath(target) && isAccountPage(paths, target);
  return isOwn ? target : acceptReturnTarget(options, request, target);
}

/** Returns the target in the query of a sign-in, or of the page that turns on a second factor. */
export const readReturnTarget = (context: ReturnContext): string | undefined =>
  acceptedSignInTarget(context, getParameter(context.request, RETURN_TO));

/**
 * Returns the target as a URL if its host gets sessions from a handoff. Latchkey's own host never
 * does, because a browser would then be redirected to the same host.
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

/** Returns the root URL of the request's host if this host gets sessions from a handoff. */
export function getHandoffRoot(options: WebOptions, request: WebRequest): URL | undefined {
  const port = getPort(options.hosts.publicUrl);
  const host = parseHostName(getHost(request));
  return parseHandoffTarget(options, `https://${host}${port && `:${port}`}/`);
}

/** Returns the accepted target if it is not on Latchkey's own host. */
export function findOtherTarget(
  options: WebOptions,
  request: WebRequest,
  target: string | undefined,
): URL | undefined {
  const { publicUrl } = options.hosts;
  if (target?.startsWith(`${HANDOFF}?`)) {
    const query = new URLSearchParams(target.slice(HANDOFF.length));
    return parseHandoffTarget(options, query.get(RETURN_TO));
  }
  if (target === undefined || !URL.canParse(target)) return undefined;
  const latchkeyHost = publicUrl === undefined ? request.header("host") : new URL(publicUrl).host;
  return isSameHost(target, latchkeyHost) ? undefined : new URL(target);
}

/**
 * Returns the target's origin if it has the host of the request. Without a public URL, this host
 * counts as Latchkey's own.
 */
function listRequestOrigins(request: WebRequest, target: string): readonly string[] {
  return isSameHost(target, request.header("host")) ? [new URL(target).origin] : [];
}

export function addReturnTo(location: string, target: string | undefined): string {
  if (target === undefined) return location;
  const separator = location.includes("?") ? "&" : "?";
  return `${location}${separator}${RETURN_TO}=${encodeURIComponent(target)}`;
}
