import { explainNetworkError, type HttpResponse, sendRequest } from "../gate/https/http-request.ts";
import { RETURN_TO } from "../http/return-to.ts";
import { getErrorCode } from "../lib/fault.ts";

const TIMEOUT_MS = 4_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** The response to a request, or why there is none: then it has neither headers nor a body. */
interface Reply extends Omit<HttpResponse, "status"> {
  readonly status: number | undefined;
  /** `it returns 404`, or why there was no response. */
  readonly result: string;
  /** The code of the error, if there was no response. */
  readonly code?: string | undefined;
}

interface RequestOptions {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Sends no secret, so it accepts any certificate; the certificate check verifies it. */
export async function request(
  url: URL,
  { method = "GET", headers = {} }: RequestOptions = {},
): Promise<Reply> {
  try {
    const response = await sendRequest(url, {
      method,
      headers: { ...headers, "User-Agent": "latchkey-doctor" },
      rejectUnauthorized: false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    });
    return { ...response, result: `it returns ${response.status}` };
  } catch (error) {
    const failure = { status: undefined, headers: {}, body: "" };
    return { ...failure, code: getErrorCode(error), result: explainNetworkError(error) };
  }
}

/** The responses of a site to requests that change nothing. */
export interface SiteVisit {
  readonly url: URL;
  readonly login: Reply;
  readonly setup: Reply;
  /** A form posted to the site with its own origin, as a browser would. */
  readonly form: Reply;
  /** The first page, as a browser without a session asks for it. */
  readonly page: Reply;
  /** The same site without TLS; requested only if HTTPS uses its default port. */
  readonly plain: Reply | undefined;
}

export async function visitSite(url: URL): Promise<SiteVisit> {
  const asPage = { headers: { Accept: "text/html" } };
  const send = (path: string, parts: RequestOptions = asPage) => request(new URL(path, url), parts);
  const hasPlainSite = url.protocol === "https:" && url.port === "";
  const [login, setup, form, page, plain] = await Promise.all([
    send("/login"),
    send("/setup"),
    // Ends no session, because the request has no cookie.
    send("/logout", { method: "POST", headers: { Origin: url.origin } }),
    send("/"),
    hasPlainSite ? send(`http://${url.hostname}/login`) : undefined,
  ]);
  return { url, login, setup, form, page, plain };
}

/** The URL of the sign-in, if the proxy asks the gate before an app at this address. */
export function findSignInUrl({ url, page }: SiteVisit): URL | undefined {
  const location = URL.parse(page.headers.location ?? "", url) ?? undefined;
  return location?.searchParams.has(RETURN_TO) ? location : undefined;
}

/** Where HTTP redirects to HTTPS: then its responses say nothing about the gate. */
export function findTlsRedirect({ headers }: Reply, from: URL): URL | undefined {
  const target = URL.parse(headers.location ?? "", from);
  return from.protocol === "http:" && target?.protocol === "https:" ? target : undefined;
}
