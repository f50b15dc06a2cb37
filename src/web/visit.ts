import type { Context } from "hono";

/** The little of a request that pages and faults need, whichever framework it came through. */
export interface Visit {
  readonly method: string;
  /** Without the query, which may hold a setup token. */
  readonly path: string;
  readonly cookies: string | undefined;
  /** The query parameter `error`. */
  readonly error: string | undefined;
}

export function visitOf(c: Context): Visit {
  return {
    method: c.req.method,
    path: c.req.path,
    cookies: c.req.header("cookie"),
    error: c.req.query("error"),
  };
}

/** The same from a request's own parts, for where there is no Hono. */
export function visitFrom(method: string, url: string, cookies: string | null | undefined): Visit {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  return {
    method,
    path: pathname,
    cookies: cookies ?? undefined,
    error: searchParams.get("error") ?? undefined,
  };
}
