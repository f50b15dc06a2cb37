import { Fault } from "../core/fault.ts";
import { originOf, type PostLoginLocation } from "./location.ts";
import type { Asset } from "./pages/assets.ts";
import { type PublicPlace, portOf } from "./return-to.ts";

/** For responses that are not pages: if a browser shows one, nothing in it runs. */
export const NOTHING_RUNS =
  "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sent with every response: no caching, sniffing, framing or referrer to other sites. */
const PROTECTIVE: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // Not `no-referrer`: after a password change, the Referer tells which page to reload.
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": NOTHING_RUNS,
};

/** Merged once: forward auth sends these with every request to an app. */
const BODYLESS: Readonly<Record<string, string>> = { ...PROTECTIVE, "Content-Length": "0" };

export type Headers = Readonly<Record<string, string>>;

export interface Responses {
  page(html: string, status?: number, headers?: Headers, cookies?: readonly string[]): Response;
  redirect(location: string, cookies?: readonly string[], headers?: Headers): Response;
  /** A 200 without a body, for scripts that act on its headers. */
  empty(headers: Headers, cookies?: readonly string[]): Response;
  unauthorized(headers: Headers): Response;
  text(text: string, status: number, headers?: Headers): Response;
  asset(asset: Asset): Response;
}

/** CSP `form-action` also covers the redirect after a form: outside targets have to be listed. */
export function createResponses(
  postLoginLocation: PostLoginLocation,
  place: PublicPlace = { publicUrl: undefined, cookieDomain: undefined },
): Responses {
  const outside = typeof postLoginLocation === "string" ? originOf(postLoginLocation) : undefined;
  const formTargets = ["'self'", outside, ...sharedHosts(place)].filter(Boolean).join(" ");
  const pageHeaders = {
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept-Language",
    "Content-Security-Policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; form-action ${formTargets}; base-uri 'none'; frame-ancestors 'none'`,
  };
  return {
    page: (html, status = 200, headers = {}, cookies = []) =>
      respond(html, status, { ...pageHeaders, ...headers }, cookies),
    redirect: (location, cookies = [], headers = {}) =>
      respond(null, 303, { ...headers, Location: location }, cookies),
    empty: (headers, cookies = []) => respond(null, 200, headers, cookies),
    unauthorized: (headers) => respond(null, 401, headers),
    text: (text, status, headers = {}) =>
      respond(text, status, { "Content-Type": "text/plain; charset=utf-8", ...headers }),
    asset: ({ contentType, cacheControl, body }) =>
      respond(body, 200, {
        "Content-Type": contentType,
        // An image opened directly is a document, and an SVG document could contain scripts.
        "Content-Security-Policy": `${NOTHING_RUNS}; style-src 'unsafe-inline'; sandbox`,
        "Cache-Control": cacheControl,
      }),
  };
}

function respond(
  body: string | Uint8Array<ArrayBuffer> | null,
  status: number,
  headers: Headers,
  cookies: readonly string[] = [],
): Response {
  for (const name in headers) checked(headers[name] ?? "");
  const common = body === null ? BODYLESS : PROTECTIVE;
  const response = new Response(body, { status, headers: { ...common, ...headers } });
  for (const cookie of cookies) response.headers.append("Set-Cookie", checked(cookie));
  return response;
}

/**
 * The gate's lighter `Response` checks values only when the answer is written, which is too late
 * for an error page, and over HTTP/2 not at all.
 */
function checked(value: string): string {
  if (!/[^\t\x20-\x7e]/.test(value)) return value;
  throw new Fault(
    "header_unsendable",
    "a header cannot be sent: its value is not plain ASCII text",
  );
}

function sharedHosts({ publicUrl, cookieDomain }: PublicPlace): readonly string[] {
  if (cookieDomain === undefined) return [];
  const port = portOf(publicUrl);
  const suffix = port === "" ? "" : `:${port}`;
  return ["http", "https"].flatMap((scheme) => [
    `${scheme}://${cookieDomain}${suffix}`,
    `${scheme}://*.${cookieDomain}${suffix}`,
  ]);
}
