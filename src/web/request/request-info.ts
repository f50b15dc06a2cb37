import type { Context } from "hono";
import type { User } from "../../core/store.ts";
import { pathOf } from "../paths.ts";
import { incomingOf, peerOf } from "./connection.ts";

/** What pages and the server log need from a request, in any framework. */
export interface RequestInfo {
  /** The request object: two infos with the same one are about the same request. */
  readonly request: object;
  /** The remote address of the connection, if it is known. */
  readonly peer: string | undefined;
  /** The header `X-Request-Id`, which counts if a trusted proxy sent it. */
  readonly givenId: string | undefined;
  /** The header `X-Forwarded-For`, which counts if a trusted proxy sent it. */
  readonly forwardedFor: string | undefined;
  readonly method: string;
  /** Without the query, which may contain a setup token. */
  readonly path: string;
  readonly cookies: string | undefined;
  /** The header `Accept-Language`. */
  readonly languages: string | undefined;
  /** The query parameter `error`. */
  readonly error: string | undefined;
  /** The user that a guard admitted. The page shows it even if the session ends meanwhile. */
  readonly user?: User;
}

/** What the ID of a request depends on. */
export type RequestSource = Pick<RequestInfo, "request" | "peer" | "givenId">;

export const requestSourceOf = (c: Context): RequestSource => ({
  request: incomingOf(c) ?? c.req.raw,
  peer: peerOf(c),
  givenId: c.req.header("x-request-id"),
});

/** The information about a request to Hono. */
export const requestInfoOf = (c: Context): RequestInfo => ({
  ...requestSourceOf(c),
  forwardedFor: c.req.header("x-forwarded-for"),
  method: c.req.method,
  path: c.req.path,
  cookies: c.req.header("cookie"),
  languages: c.req.header("accept-language"),
  error: c.req.query("error"),
});

/** The part of Node's `IncomingMessage`, of HTTP/1 or HTTP/2, that is read. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Collects the information about a Node request.
 *
 * @param url is the URL that the client sent, for routers that change `request.url`.
 */
export function nodeRequestInfo(
  request: NodeRequest,
  url: string = request.url ?? "/",
): RequestInfo {
  const { method = "GET", socket, headers } = request;
  const path = pathOf(url);
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    request,
    peer: socket.remoteAddress,
    givenId: header("x-request-id"),
    forwardedFor: header("x-forwarded-for"),
    method,
    path,
    cookies: header("cookie"),
    languages: header("accept-language"),
    error: new URLSearchParams(url.slice(path.length)).get("error") ?? undefined,
  };
}

/** The part of a Fetch `Request` that is read. */
export interface RequestLike {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
}

/** Collects the information about a Fetch request. The remote address is unknown. */
export function requestInfo(request: RequestLike): RequestInfo {
  const { method, url, headers } = request;
  const { pathname, searchParams } = new URL(url, "http://localhost");
  return {
    request,
    peer: undefined,
    givenId: undefined,
    forwardedFor: undefined,
    method,
    path: pathname,
    cookies: headers.get("cookie") ?? undefined,
    languages: headers.get("accept-language") ?? undefined,
    error: searchParams.get("error") ?? undefined,
  };
}
