import type { WebRequest } from "./web-request.ts";

/**
 * Converts a Fetch request. The caller passes the connection, because only the platform knows it.
 *
 * @example
 * ```ts
 * const request = fetchRequest(new Request(url), { remoteAddress: "192.0.2.1" });
 * const { status } = await auth.adapter.answer(request);
 * ```
 */
export function fetchRequest(
  request: Request,
  connection: WebRequest["connection"] = {},
): WebRequest {
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
