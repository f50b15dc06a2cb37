import type { IncomingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import { sendRequest } from "../../gate/https/http-request.ts";
import { CookieJar } from "./cookie-jar.ts";
import { findRefresh } from "./html.ts";

const TIMEOUT_MS = 10_000;
/** Browsers follow this many redirects too. */
const MAX_REDIRECTS = 20;
const MAX_BYTES = 1_048_576;

/** The list of sessions and the server log of an app name the check by it. */
export const USER_AGENT = "latchkey-app-check";

/** Contains one response on the way, and when it arrived. */
export interface Hop {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Contains the middle between the request and its response, by the clock of this machine. */
  readonly at: number;
}

/** Contains where a browser is after it has followed all redirects. */
export type Visit =
  | {
      readonly kind: "answered";
      readonly url: URL;
      readonly status: number;
      readonly body: string;
      readonly hops: readonly Hop[];
    }
  /** The next request would be for a URL for which the visit stops. */
  | { readonly kind: "stopped"; readonly url: URL; readonly hops: readonly Hop[] }
  /** The next request would go to a host that is neither the app's nor the gate's. */
  | { readonly kind: "left"; readonly url: URL; readonly hops: readonly Hop[] }
  | { readonly kind: "circle"; readonly url: URL; readonly hops: readonly Hop[] }
  | {
      readonly kind: "failed";
      readonly url: URL;
      readonly error: unknown;
      readonly hops: readonly Hop[];
    };

export interface Visiting {
  readonly headers?: Readonly<Record<string, string>>;
  /** Posts a form. */
  readonly form?: URLSearchParams | undefined;
  /** A page of this URL leads there. Of another site, a browser holds back some cookies. */
  readonly from?: URL | undefined;
  /** Stops before a request for a URL that fits. */
  readonly until?: (url: URL) => boolean;
}

interface BrowserOptions {
  readonly now: () => number;
  /** Returns whether requests may go to the host. */
  readonly mayVisit: (hostname: string) => boolean;
  readonly stop: AbortSignal;
}

/** Visits pages without running their scripts, as a browser with cookies of its own. */
export class SiteBrowser {
  readonly jar: CookieJar;
  readonly #options: BrowserOptions;

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.jar = new CookieJar(options.now);
  }

  /** Opens a URL and follows redirects. Never rejects, unless the check is stopped. */
  async open(start: URL, visiting: Visiting = {}): Promise<Visit> {
    const { headers = {}, until, from } = visiting;
    const hops: Hop[] = [];
    let { form } = visiting;
    let url = start;
    for (;;) {
      if (until?.(url)) return { kind: "stopped", url, hops };
      const isWeb = url.protocol === "https:" || url.protocol === "http:";
      if (!isWeb || !this.#options.mayVisit(url.hostname)) return { kind: "left", url, hops };
      if (hops.length > MAX_REDIRECTS) return { kind: "circle", url, hops };
      let answer: { readonly hop: Hop; readonly body: string };
      try {
        answer = await this.#send(url, form, from, headers);
      } catch (error) {
        this.#options.stop.throwIfAborted();
        return { kind: "failed", url, error, hops };
      }
      const { hop, body } = answer;
      hops.push(hop);
      const next = findNext(hop, body);
      if (next === "unreadable") {
        const error = new Error("it redirects to an address that cannot be read");
        return { kind: "failed", url, error, hops };
      }
      if (next === undefined) return { kind: "answered", url, status: hop.status, body, hops };
      // A browser repeats the form only after these.
      if (hop.status !== 307 && hop.status !== 308) form = undefined;
      url = next;
    }
  }

  async #send(
    url: URL,
    form: URLSearchParams | undefined,
    from: URL | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly hop: Hop; readonly body: string }> {
    const { now, stop } = this.#options;
    const cookie = this.jar.getHeader(url, { from, by: form === undefined ? "link" : "form" });
    const begun = now();
    const response = await sendRequest(url, {
      method: form === undefined ? "GET" : "POST",
      ...(form !== undefined && { body: form.toString() }),
      headers: {
        Accept: "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
        "Accept-Language": "en",
        "User-Agent": USER_AGENT,
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Mode": "navigate",
        ...(form !== undefined && {
          "Content-Type": "application/x-www-form-urlencoded",
          "Content-Length": String(Buffer.byteLength(form.toString())),
          Origin: from === undefined || from.origin === url.origin ? url.origin : "null",
        }),
        ...(cookie !== undefined && { Cookie: cookie }),
        ...headers,
      },
      ...(url.hostname.endsWith(".localhost") && { lookup: lookUpLoopback }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      stop,
    });
    this.jar.keep(url, response.headers["set-cookie"] ?? []);
    const at = (begun + now()) / 2;
    const { status, headers: received, body } = response;
    return { hop: { url, status, headers: received, at }, body };
  }
}

/** Browsers take every name below `localhost` for this machine, without a name server. */
const lookUpLoopback: LookupFunction = (_name, { all }, callback) => {
  if (all) callback(null, [{ address: "127.0.0.1", family: 4 }]);
  else callback(null, "127.0.0.1", 4);
};

const REDIRECTS = [301, 302, 303, 307, 308];

function findNext({ url, status, headers }: Hop, body: string): URL | "unreadable" | undefined {
  const { location } = headers;
  if (REDIRECTS.includes(status) && location !== undefined)
    return URL.parse(location, url) ?? "unreadable";
  return status < 400 ? findRefresh(body, url) : undefined;
}
