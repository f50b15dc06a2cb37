/** A request in any framework, as an adapter passes it to Latchkey. */
export interface WebRequest {
  /** The framework's request: two `WebRequest`s with the same one are about the same request. */
  readonly request: object;
  /** The part of the TCP connection that is read. */
  readonly connection: {
    readonly remoteAddress?: string | undefined;
    readonly encrypted?: boolean | undefined;
    /** Whether the connection was closed. */
    readonly destroyed?: boolean | undefined;
    /** Present without `remoteAddress` on a connection that was reset. */
    readonly localAddress?: string | undefined;
  };
  readonly method: string;
  /** Without the query, which may contain a setup token. */
  readonly path: string;
  /** The query with its `?`; empty without one. Never logged. */
  readonly query: string;
  /** A header, by its name in lower case. */
  header(name: string): string | undefined;
  /** The body in pieces; `read` if another middleware has read it. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | "read";
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
}

/** The first value of a query parameter. */
export const getParameter = (
  { query }: Pick<WebRequest, "query">,
  name: string,
): string | undefined =>
  query === "" ? undefined : (new URLSearchParams(query).get(name) ?? undefined);

/** An HTTP/1.0 request may lack the Host header. */
export const getHost = (request: Pick<WebRequest, "header">): string =>
  request.header("host") ?? "localhost";
