import type { Context } from "hono";
import type { User } from "../../core/store.ts";
import { incomingOf, peerOf } from "./connection.ts";
import type { RequestMark } from "./request-id.ts";

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
  /** By which the request's ID is found. */
  readonly mark: RequestMark;
}

export function visitOf(c: Context): Visit {
  return {
    method: c.req.method,
    path: c.req.path,
    cookies: c.req.header("cookie"),
    languages: c.req.header("accept-language"),
    error: c.req.query("error"),
    mark: markOf(c),
  };
}

export function markOf(c: Context): RequestMark {
  const incoming = incomingOf(c);
  return {
    request: typeof incoming === "object" && incoming !== null ? incoming : c.req.raw,
    peer: peerOf(incoming),
    given: c.req.header("x-request-id"),
  };
}

/** The same below Hono. */
export const markOfIncoming = (incoming: NodeRequest): RequestMark => ({
  request: incoming,
  peer: incoming.socket.remoteAddress,
  given: headerIn(incoming.headers["x-request-id"]),
});

/** The little of it, whichever HTTP it came over. */
interface NodeRequest {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** One that came twice is neither of them. */
const headerIn = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === "string" ? header : undefined;

/** A Fetch request, or as much of one as a page needs. */
export interface VisitingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** The same where there is no Hono. */
export function visitFrom(request: VisitingRequest): Visit {
  const { method, url, headers } = request;
  const { pathname, searchParams } = new URL(url, "http://localhost");
  return {
    method,
    path: pathname,
    cookies: headers.get("cookie") ?? undefined,
    languages: headers.get("accept-language") ?? undefined,
    error: searchParams.get("error") ?? undefined,
    mark: { request, peer: undefined, given: undefined },
  };
}
