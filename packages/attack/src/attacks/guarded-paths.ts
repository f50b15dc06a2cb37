import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Skipped } from "../errors.ts";
import { type HttpRequest, sendRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import { guardHeaders } from "../payloads/guard-headers.ts";
import { pathVariants, spellings } from "../payloads/path-variants.ts";
import { ownHost, send, type Target } from "../target.ts";

const FORWARD_AUTH = "/forward-auth";

export const guardedPaths: Attack = {
  name: "guarded-paths",
  about: "guarded paths in other spellings, and with headers of health checks, proxies and tokens",
  meaning: "Pages of the app can be read without a session, or a request makes the guard fail.",
  noun: "requests",
  verb: "got past the guard or broke it",
  needs: [],

  async run(target, tally) {
    const host = ownHost(target);
    const requests = [
      ...target.guarded.flatMap((path) => [
        ...pathVariants(path, host),
        ...guardHeaders(host).map((headers) => ({ path, headers })),
      ]),
      ...(await forwardAuthRequests(target, host)),
    ];
    if (requests.length === 0) {
      throw new Skipped("no path redirects to the sign-in; name one with --guarded");
    }
    await forEach(requests, CONCURRENCY, async (request) => {
      tally.tried();
      const response = await sendRequest(target.address, request, target.signal);
      if (isOpen(request, response) || isBroken(request, response)) {
        tally.gotThrough(`${summaryOf(request)}: ${response.status}`);
      }
    });
  },
};

/** The questions of a proxy, if the server answers them and refuses one without a session. */
async function forwardAuthRequests(target: Target, host: string): Promise<readonly HttpRequest[]> {
  const { status } = await send(target, { path: FORWARD_AUTH });
  if (status !== 401 && (status < 300 || status > 399)) return [];
  const path = `${target.base}${FORWARD_AUTH}`;
  const page = {
    Accept: "text/html",
    "X-Forwarded-Method": "GET",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": host,
  };
  const odd = guardHeaders(host);
  return [
    ...spellings(target.guarded[0] ?? "/app", host).map((uri) => ({
      path,
      headers: { "X-Forwarded-Uri": uri, "X-Original-URI": uri, ...page },
    })),
    ...odd.map((headers) => ({ path, headers })),
    // First the header that matters, because the report is cut off.
    ...odd.map((headers) => ({ path, headers: { ...headers, ...page, ...headers } })),
  ];
}

/** Any success except the sign-in page, the setup page, and Caddy's empty one for unknown hosts. */
export function isOpen({ method, path }: HttpRequest, { status, body }: HttpResponse): boolean {
  if (status < 200 || status > 299 || /<input[^>]*name="?password\b/.test(body)) return false;
  return body !== "" || method === "HEAD" || path.endsWith(FORWARD_AUTH);
}

/** Statuses by which proxies refuse a method, a host and a version. */
const REFUSALS = [501, 503, 505];

/** Whether the guard failed. For an odd host, nginx turns the guard's 400 into a 500. */
const isBroken = ({ headers }: HttpRequest, { status }: HttpResponse): boolean =>
  status >= 500 && !REFUSALS.includes(status) && headers?.Host === undefined;

const MAX_HEADERS_SHOWN = 120;

function summaryOf({ method = "GET", path, headers = {} }: HttpRequest): string {
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value ?? ""}`);
  if (shown.length === 0) return `${method} ${path}`;
  return `${method} ${path} with ${shown.join(", ").slice(0, MAX_HEADERS_SHOWN)}`;
}
