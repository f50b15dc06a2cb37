import { explainNetworkError, type HttpResponse, sendRequest } from "../gate/https/http-request.ts";
import { RETURN_TO } from "../http/return-to.ts";
import { getErrorCode } from "../lib/fault.ts";

const TIMEOUT_MS = 4_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Contains the response to a request. Without a response, it has neither headers nor a body. */
interface Reply extends Omit<HttpResponse, "status"> {
  readonly status: number | undefined;
  /** Contains text such as `it returns 404`, or the reason why there was no response. */
  readonly result: string;
  /** Contains the code of the error, if there was no response. */
  readonly code?: string | undefined;
}

interface RequestOptions {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/**
 * Sends a request. It accepts any certificate, because it sends no secret. The certificate check
 * verifies the certificate.
 */
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

/** Contains the responses of a site to requests that change nothing. */
export interface SiteVisit {
  readonly url: URL;
  readonly login: Reply;
  readonly setup: Reply;
  /**
   * Contains the response to a form that is posted to the site with its own origin, as a browser
   * does.
   */
  readonly form: Reply;
  /** Contains the response for the first page, as a browser without a session requests it. */
  readonly page: Reply;
  /** Contains the response without TLS. The request is only sent if HTTPS uses its default port. */
  readonly plain: Reply | undefined;
}

export async function visitSite(url: URL): Promise<SiteVisit> {
  const asPage = { headers: { Accept: "text/html" } };
  const send = (path: string, parts: RequestOptions = asPage) => request(new URL(path, url), parts);
  const hasPlainSite = url.protocol === "https:" && url.port === "";
  const [login, setup, form, page, plain] = await Promise.all([
    send("/login"),
    send("/setup"),
    // This request ends no session, because it has no cookie.
    send("/logout", { method: "POST", headers: { Origin: url.origin } }),
    send("/"),
    hasPlainSite ? send(`http://${url.hostname}/login`) : undefined,
  ]);
  return { url, login, setup, form, page, plain };
}

/** Returns the URL of the sign-in, if the proxy asks the gate before an app at this address. */
export function findSignInUrl({ url, page }: SiteVisit): URL | undefined {
  const location = URL.parse(page.headers.location ?? "", url) ?? undefined;
  return location?.searchParams.has(RETURN_TO) ? location : undefined;
}

/**
 * Returns the HTTPS target of a redirect. Responses with such a redirect reveal nothing about the
 * gate.
 */
export function findTlsRedirect({ headers }: Reply, from: URL): URL | undefined {
  const target = URL.parse(headers.location ?? "", from);
  return from.protocol === "http:" && target?.protocol === "https:" ? target : undefined;
}
