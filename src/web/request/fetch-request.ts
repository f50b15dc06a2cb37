import type { Connection, WebRequest } from "./web-request.ts";

/** The part of a Fetch `Request` that is read. */
export interface RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body?: AsyncIterable<Uint8Array> | null;
  readonly bodyUsed?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * A Fetch request. Only the platform knows the connection.
 *
 * @example
 * ```ts
 * const request = fetchRequest(new Request(url), { remoteAddress: "192.0.2.1" });
 * const { status } = await auth.adapter.answer(request);
 * ```
 */
export function fetchRequest(request: RequestLike, connection: Connection = {}): WebRequest {
  const { method, url, headers } = request;
  const { pathname, search, host } = new URL(url, "http://localhost");
  return {
    request,
    connection,
    method,
    path: pathname,
    query: search,
    header: (name) => headers.get(name) ?? (name === "host" ? host : undefined),
    get body() {
      return request.bodyUsed === true ? "read" : (request.body ?? []);
    },
    get signal() {
      return request.signal;
    },
  };
}
