import { pathOf } from "../paths.ts";
import type { Connection, WebRequest } from "./web-request.ts";

/** The part of Node's `IncomingMessage`, of HTTP/1 or HTTP/2, that is read. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The URL that the client sent, if a framework has changed `url`. */
  readonly originalUrl?: string | undefined;
  readonly socket: Connection;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Whether the body was read, perhaps by a body parser. */
  readonly readableDidRead?: boolean;
  /** The body, if a body parser has kept it. */
  readonly rawBody?: unknown;
  iterator?(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
}

/** The part of Node's `ServerResponse`, of HTTP/1 or HTTP/2, that tells when the client is gone. */
export interface NodeResponse {
  once(event: "close", listener: () => void): unknown;
}

/**
 * A Node request, of HTTP/1 or HTTP/2. Without the response, it has no signal.
 *
 * @example
 * ```ts
 * const { CurrentUser } = await auth.adapter.pageHelpers(nodeRequest(request));
 * ```
 */
export const nodeRequest = (request: NodeRequest, response?: NodeResponse): WebRequest =>
  new WebRequestOnNode(request, response);

/** A class, because one is made for every request: what is not needed is not computed. */
class WebRequestOnNode implements WebRequest {
  readonly request: NodeRequest;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #response: NodeResponse | undefined;
  #gone: AbortController | undefined;

  constructor(request: NodeRequest, response: NodeResponse | undefined) {
    this.request = request;
    this.#response = response;
    this.method = request.method ?? "GET";
    const target = targetOf(request.originalUrl ?? request.url ?? "/");
    this.path = pathOf(target);
    this.query = target.slice(this.path.length);
  }

  get connection(): Connection {
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
export function targetOf(url: string): string {
  if (url.startsWith("/")) return url;
  const whole = /^https?:/i.test(url) ? URL.parse(url) : null;
  return whole === null ? url : `${whole.pathname}${whole.search}`;
}
