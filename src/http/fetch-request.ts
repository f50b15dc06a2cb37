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
  return new FetchWebRequest(request, connection);
}

/**
 * This is a class, because V8 gives each object literal with a getter a hidden class of its own,
 * which it frees late, together with the request.
 */
class FetchWebRequest implements WebRequest {
  readonly request: Request;
  readonly connection: WebRequest["connection"];
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #host: string;

  constructor(request: Request, connection: WebRequest["connection"]) {
    const { pathname, search, host } = new URL(request.url, "http://localhost");
    this.request = request;
    this.connection = connection;
    this.method = request.method;
    this.path = pathname;
    this.query = search;
    this.#host = host;
  }

  header(name: string): string | undefined {
    return this.request.headers.get(name) ?? (name === "host" ? this.#host : undefined);
  }

  get body(): WebRequest["body"] {
    return this.request.bodyUsed === true ? "read" : (this.request.body ?? []);
  }

  get signal(): AbortSignal {
    return this.request.signal;
  }
}
