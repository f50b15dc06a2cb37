import type { Context } from "hono";
import type { User } from "../core/store.ts";

/** The little of a request that pages and faults need, whichever framework it came through. */
export interface Visit {
  readonly method: string;
  /** Without the query, which may hold a setup token. */
  readonly path: string;
  readonly cookies: string | undefined;
  /** The header `Accept-Language`. */
  readonly languages: string | undefined;
  /** The query parameter `error`. */
  readonly error: string | undefined;
  /** Who was let in: on the page behind a guard nobody else is, should the session end meanwhile. */
  readonly user?: User;
}

export function visitOf(c: Context): Visit {
  return {
    method: c.req.method,
    path: c.req.path,
    cookies: c.req.header("cookie"),
    languages: c.req.header("accept-language"),
    error: c.req.query("error"),
  };
}

/** A Fetch request, or as much of one as a page needs. */
export interface VisitingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** The same where there is no Hono. */
export function visitFrom({ method, url, headers }: VisitingRequest): Visit {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  return {
    method,
    path: pathname,
    cookies: headers.get("cookie") ?? undefined,
    languages: headers.get("accept-language") ?? undefined,
    error: searchParams.get("error") ?? undefined,
  };
}
