import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { removeQuery } from "./paths.ts";
import type { WebRequest } from "./web-request.ts";

/** Contains what frameworks and body parsers add to Node's request. */
interface Added {
  /** A framework sets this to the client's URL if it changes `url`. */
  readonly originalUrl?: string;
  /** A body parser can keep the body here. */
  readonly rawBody?: unknown;
}

/**
 * Converts a Node request of HTTP/1 or HTTP/2. Without `response`, the result has no signal.
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

/**
 * This is a class, because every request creates an instance. It computes values only when they are
 * needed.
 */
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
    this.path = removeQuery(target);
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
    // If the request were destroyed before its end, its connection would be closed too.
    return this.request.iterator?.({ destroyOnReturn: false }) ?? [];
  }

  get signal(): AbortSignal | undefined {
    if (this.#response === undefined) return undefined;
    if (this.#gone === undefined) {
      const gone = new AbortController();
      // The event also follows a complete response, when no code waits for the signal any more.
      this.#response.once("close", () => gone.abort());
      this.#gone = gone;
    }
    return this.#gone.signal;
  }
}

/** Returns the path and the query. A request to a proxy has an absolute URL. */
export function getRequestTarget(url: string): string {
  if (url.startsWith("/")) return url;
  const whole = /^https?:/i.test(url) ? URL.parse(url) : null;
  return whole === null ? url : `${whole.pathname}${whole.search}`;
}
