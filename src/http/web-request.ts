/** Describes a request in any framework, as an adapter passes it to Latchkey. */
export interface WebRequest {
  /**
   * Identifies the request: two `WebRequest`s with the same framework request are the same request.
   */
  readonly request: object;
  /** Contains the properties of the TCP connection that Latchkey reads. */
  readonly connection: {
    readonly remoteAddress?: string | undefined;
    readonly encrypted?: boolean | undefined;
    /** True if the connection was closed. */
    readonly destroyed?: boolean | undefined;
    /** A connection that was reset has this address without `remoteAddress`. */
    readonly localAddress?: string | undefined;
  };
  readonly method: string;
  /** The path has no query, because the query may contain a setup token. */
  readonly path: string;
  /** The query starts with `?`, or is empty. It is never logged. */
  readonly query: string;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Yields the body in pieces. The value is `read` if another middleware has read the body. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | "read";
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal | undefined;
}

/** Returns the first value of a query parameter. */
export const getParameter = (
  { query }: Pick<WebRequest, "query">,
  name: string,
): string | undefined =>
  query === "" ? undefined : (new URLSearchParams(query).get(name) ?? undefined);

/** Returns the host. An HTTP/1.0 request may have no Host header. */
export const getHost = (request: Pick<WebRequest, "header">): string =>
  request.header("host") ?? "localhost";
