import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { pathOf } from "./paths.ts";
import type { WebRequest } from "./web-request.ts";

/** What frameworks and body parsers add to Node's request. */
interface Added {
  /** The URL that the client sent, if a framework has changed `url`. */
  readonly originalUrl?: string;
  /** The body, if a body parser has kept it. */
  readonly rawBody?: unknown;
}

/**
 * Converts a Node request, of HTTP/1 or HTTP/2. Without the response, it has no signal.
 *
 * @example
 * ```ts
 * const { CurrentUser } = await auth.adapter.pageHelpers(nodeRequest(request));
 * ```
 */
export const nodeRequest = (
  request: IncomingMessage | Http2ServerRequest,
  response?: ServerResponse | Http2ServerResponse,
): WebRequest => new WebRequestOnNode(request, response);

type NodeRequest = (IncomingMessage | Http2ServerRequest) & Added;

/** A class, because one is made for every request: what is not needed is not computed. */
class WebRequestOnNode implements WebRequest {
  readonly request: NodeRequest;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #response: ServerResponse | Http2ServerResponse | undefined;
  #gone: AbortController | undefined;

  constructor(request: NodeRequest, response: ServerResponse | Http2ServerResponse | undefined) {
    this.request = request;
    this.#response = response;
    this.method = request.method ?? "GET";
    const target = getRequestTarget(request.originalUrl ?? request.url ?? "/");
    this.path = pathOf(target);
    this.query = target.slice(this.path.length);
  }

  get connection(): WebRequest["connection"] {
    return this.request.socket;
  }

  header(name: string): string | undefined {
    const { headers } = this.request;
    // HTTP/2 has the host in a pseudo-header.
    const value = (name === "host" ? headers[":authority"] : undefined) ?? headers[name];
    return typeof value === "string" ? value : undefined;
  }

  get body(): WebRequest["body"] {
    const { readableDidRead, rawBody } = this.request;
    if (readableDidRead === true) return rawBody instanceof Buffer ? [rawBody] : "read";
    // A request that is destroyed before its end takes the connection with it.
    return this.request.iterator?.({ destroyOnReturn: false }) ?? [];
  }

  get signal(): AbortSignal | undefined {
    if (this.#response === undefined) return undefined;
    if (this.#gone === undefined) {
      const gone = new AbortController();
      // Also emitted after a complete response, when nothing waits for the signal any more.
      this.#response.once("close", () => gone.abort());
      this.#gone = gone;
    }
    return this.#gone.signal;
  }
}

/** Path and query. A request to a proxy has a whole URL. */
export function getRequestTarget(url: string): string {
  if (url.startsWith("/")) return url;
  const whole = /^https?:/i.test(url) ? URL.parse(url) : null;
  return whole === null ? url : `${whole.pathname}${whole.search}`;
}
