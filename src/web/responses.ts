import { Fault } from "../core/fault.ts";
import { originOf, type PostLoginLocation } from "./location.ts";
import type { Asset } from "./pages/assets.ts";
import { type PublicPlace, portOf } from "./return-to.ts";

/** For what is no page: if a browser shows it nevertheless, nothing in it runs. */
export const NOTHING_RUNS =
  "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sent with every response of ours: nothing of it is kept, framed, guessed at or told elsewhere. */
const GUARDED: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // Not `no-referrer`: the refresh after a password change goes back to the page it came from.
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": NOTHING_RUNS,
};

const NO_BODY = { "Content-Length": "0" } as const;

type Headers = Readonly<Record<string, string>>;

export interface Responses {
  page(html: string, status?: number, headers?: Headers, cookies?: readonly string[]): Response;
  redirect(location: string, cookies?: readonly string[]): Response;
  /** A 200 without a body, for scripts that act on its headers. */
  empty(headers: Headers, cookies?: readonly string[]): Response;
  unauthorized(headers: Headers): Response;
  text(text: string, status: number, headers?: Headers): Response;
  asset(asset: Asset): Response;
}

/** A form's redirect counts as its target: places outside that it may lead to have to be let in. */
export function createResponses(
  postLoginLocation: PostLoginLocation,
  place: PublicPlace = { publicUrl: undefined, cookieDomain: undefined },
): Responses {
  const outside = typeof postLoginLocation === "string" ? originOf(postLoginLocation) : undefined;
  const formTargets = ["'self'", outside, ...sharedHosts(place)].filter(Boolean).join(" ");
  const pageHeaders = {
    ...GUARDED,
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept-Language",
    "Content-Security-Policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; form-action ${formTargets}; base-uri 'none'; frame-ancestors 'none'`,
  };

  return {
    page: (html, status = 200, headers = {}, cookies = []) =>
      withCookies(
        new Response(html, { status, headers: { ...pageHeaders, ...sendable(headers) } }),
        cookies,
      ),
    redirect(location, cookies = []) {
      const headers = { ...GUARDED, ...NO_BODY, Location: checked(location) };
      return withCookies(new Response(null, { status: 303, headers }), cookies);
    },
    unauthorized: (headers) =>
      new Response(null, {
        status: 401,
        headers: { ...GUARDED, ...NO_BODY, ...sendable(headers) },
      }),
    empty: (headers, cookies = []) =>
      withCookies(
        new Response(null, { headers: { ...GUARDED, ...NO_BODY, ...sendable(headers) } }),
        cookies,
      ),
    text: (text, status, headers = {}) =>
      new Response(text, {
        status,
        headers: {
          ...GUARDED,
          "Content-Type": "text/plain; charset=utf-8",
          ...sendable(headers),
        },
      }),
    asset: ({ contentType, cacheControl, body }) =>
      new Response(body, {
        headers: {
          ...GUARDED,
          "Content-Type": contentType,
          // An image opened by itself is a document, and an SVG one could have scripts.
          "Content-Security-Policy": `${NOTHING_RUNS}; style-src 'unsafe-inline'; sandbox`,
          "Cache-Control": cacheControl,
        },
      }),
  };
}

function sendable(headers: Headers): Headers {
  for (const name in headers) checked(headers[name] ?? "");
  return headers;
}

/**
 * The gate's lighter `Response` looks at values only once the answer is being written, when it is
 * too late for an error page, and over HTTP/2 not even then.
 */
function checked(value: string): string {
  if (!/[^\t\x20-\x7e]/.test(value)) return value;
  throw new Fault(
    "header_unsendable",
    "a header cannot be sent: its value is not plain ASCII text",
  );
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append("Set-Cookie", checked(cookie));
  return response;
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
