import { originOf, type PostLoginLocation } from "./location.ts";
import { type PublicPlace, portOf } from "./return-to.ts";

/** Sent with every response of ours: nothing of it is kept, framed, guessed at or told elsewhere. */
const GUARDED: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // Not `no-referrer`: the refresh after a password change goes back to the page it came from.
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "DENY",
};

const NO_BODY = { "Content-Length": "0" } as const;

type Headers = Readonly<Record<string, string>>;

export interface Responses {
  page(html: string, status?: number, headers?: Headers): Response;
  redirect(location: string, cookies?: readonly string[]): Response;
  /** A 200 without a body, for scripts that act on its headers. */
  empty(headers: Headers): Response;
  unauthorized(headers: Headers): Response;
  text(text: string, status: number): Response;
  styleSheet(text: string): Response;
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
    "Content-Security-Policy": `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${formTargets}; base-uri 'none'; frame-ancestors 'none'`,
  };

  return {
    page: (html, status = 200, headers) =>
      new Response(html, { status, headers: { ...pageHeaders, ...headers } }),
    redirect(location, cookies = []) {
      const headers = { ...GUARDED, ...NO_BODY, Location: location };
      const response = new Response(null, { status: 303, headers });
      for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
      return response;
    },
    unauthorized: (headers) =>
      new Response(null, { status: 401, headers: { ...GUARDED, ...NO_BODY, ...headers } }),
    empty: (headers) => new Response(null, { headers: { ...GUARDED, ...NO_BODY, ...headers } }),
    text: (text, status) =>
      new Response(text, {
        status,
        headers: { ...GUARDED, "Content-Type": "text/plain; charset=utf-8" },
      }),
    styleSheet: (text) =>
      new Response(text, {
        headers: {
          ...GUARDED,
          "Content-Type": "text/css; charset=utf-8",
          // Its address holds a digest of its content.
          "Cache-Control": "public, max-age=31536000, immutable",
        },
      }),
  };
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
