import { Fault } from "../lib/fault.ts";
import { getPort, parseOrigin } from "./location.ts";
import type { WebOptions } from "./options.ts";

/** Responses that are not pages use this policy. If a browser shows one, no content in it runs. */
export const STRICT_CSP =
  "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Every response has these headers: they forbid caching, sniffing, framing and a referrer to other
 * sites.
 */
const PROTECTIVE_HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // The value is not `no-referrer`: after a password change, the Referer says which page to reload.
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": STRICT_CSP,
};

export const BODYLESS_HEADERS: Readonly<Record<string, string>> = {
  ...PROTECTIVE_HEADERS,
  "Content-Length": "0",
};

export type Headers = Readonly<Record<string, string>>;

/** Contains a response that no framework has sent yet. */
export interface Answer {
  readonly status: number;
  /** Contains the header lines except `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Contains the `Set-Cookie` lines. */
  readonly cookies: readonly string[];
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** Creates a response with the protective headers. `headers` can replace them. */
export function respond(
  body: string | Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: Headers = {},
  cookies: readonly string[] = [],
): Answer {
  for (const name in headers) requireSendable(headers[name] ?? "");
  for (const cookie of cookies) requireSendable(cookie);
  if (body === null) return { status, headers: { ...BODYLESS_HEADERS, ...headers }, cookies, body };
  const length = { "Content-Length": String(Buffer.byteLength(body)) };
  return { status, headers: { ...PROTECTIVE_HEADERS, ...length, ...headers }, cookies, body };
}

/**
 * Checks header values here, where an error page can still replace the response. HTTP/2 would not
 * check them.
 */
function requireSendable(value: string): void {
  if (!/[^\t\x20-\x7e]/.test(value)) return;
  throw new Fault(
    "header_unsendable",
    "a header cannot be sent: its value is not plain ASCII text",
  );
}

export const withHeader = (answer: Answer, name: string, value: string): Answer => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});

export const redirect = (
  location: string,
  cookies: readonly string[] = [],
  headers: Headers = {},
): Answer => respond(null, 303, { ...headers, Location: location }, cookies);

export const respondText = (text: string, status: number, headers: Headers = {}): Answer =>
  respond(text, status, { "Content-Type": "text/plain; charset=utf-8", ...headers });

export const respondJson = (
  value: object,
  status: number,
  headers: Headers = {},
  cookies: readonly string[] = [],
): Answer =>
  respond(
    JSON.stringify(value),
    status,
    { "Content-Type": "application/json", ...headers },
    cookies,
  );

interface FormTargets extends Pick<WebOptions, "postLoginLocation" | "returnDomains"> {
  readonly hosts: Pick<WebOptions["hosts"], "publicUrl" | "cookieDomain">;
}

/**
 * Creates the headers of a page. CSP `form-action` also covers the redirect after a form, so
 * outside targets must be listed. A host without a scheme uses the scheme of the page, so a page
 * over https allows no form over http.
 *
 * @param connect says whether scripts of the page can send requests to their own site.
 * @param returning lists the origins or schemes of apps to which a sign-in from this page returns.
 */
export function createPageHeaders(
  { postLoginLocation, returnDomains, hosts: { publicUrl, cookieDomain } }: FormTargets,
  connect: "none" | "self" = "none",
  returning: readonly string[] = [],
): Headers {
  const outside =
    typeof postLoginLocation === "string" ? parseOrigin(postLoginLocation) : undefined;
  const port = getPort(publicUrl);
  const addSubdomains = (domain: string): readonly string[] =>
    [domain, `*.${domain}`].map((host) => `${host}${port === "" ? "" : `:${port}`}`);
  const hosts = cookieDomain === undefined ? [] : addSubdomains(cookieDomain);
  const shared = ["", "https://"].flatMap((scheme) => hosts.map((host) => `${scheme}${host}`));
  const others = returnDomains
    .flatMap((domain) => addSubdomains(domain.replace("*.", "")))
    .map((host) => `https://${host}`);
  // The page for an excluded user appears under the host name of the app.
  const pageSources = ["'self'", publicUrl].filter(Boolean).join(" ");
  // A sign-out at another host redirects to the sign-in.
  const formTargets = [others.length === 0 ? "'self'" : pageSources, outside, ...shared, ...others]
    .concat(returning)
    .filter(Boolean)
    .join(" ");
  const connectTo = connect === "self" ? "connect-src 'self'; " : "";
  return {
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept-Language",
    // A page of another origin that opens this page cannot control its window.
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": `default-src 'none'; script-src ${pageSources}; style-src ${pageSources}; img-src ${pageSources}; ${connectTo}object-src 'none'; form-action ${formTargets}; base-uri 'none'; frame-ancestors 'none'`,
  };
}
