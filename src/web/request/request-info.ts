import type { Context } from "hono";
import type { User } from "../../core/store.ts";
import { pathOf } from "../paths.ts";
import { incomingOf, peerOf } from "./connection.ts";

/** Reads a header of a request, by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** What pages, refusals and the server log need from a request, in any framework. */
export interface RequestInfo {
  /** The request object: two infos with the same one are about the same request. */
  readonly request: object;
  /** The remote address of the connection, if it is known. */
  readonly peer: string | undefined;
  /** The header `X-Request-Id`, which counts if a trusted proxy sent it. */
  readonly givenId: string | undefined;
  readonly method: string;
  /** Without the query, which may contain a setup token. */
  readonly path: string;
  /** The query with its `?`; empty without one. Never logged. */
  readonly query: string;
  readonly header: HeaderReader;
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

/** An HTTP/1.0 request may lack the Host header; the server then completes the URL. */
export const hostOf = (c: Context): string => c.req.header("host") ?? new URL(c.req.url).host;

/** The information about a request to Hono. */
export const requestInfoOf = (c: Context): RequestInfo => ({
  ...requestInfo(c.req.raw),
  ...requestSourceOf(c),
});

/** The part of Node's `IncomingMessage`, of HTTP/1 or HTTP/2, that is read. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The URL that the client sent, if a framework has changed `url`. */
  readonly originalUrl?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Collects the information about a Node request. */
export function nodeRequestInfo(request: NodeRequest): RequestInfo {
  const { method = "GET", url = "/", originalUrl = url, socket, headers } = request;
  const path = pathOf(originalUrl);
  const query = originalUrl.slice(path.length);
  const header: HeaderReader = (name) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    request,
    peer: socket.remoteAddress,
    givenId: header("x-request-id"),
    method,
    path,
    query,
    header,
    error: new URLSearchParams(query).get("error") ?? undefined,
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
  const { pathname, search, searchParams } = new URL(url, "http://localhost");
  return {
    request,
    peer: undefined,
    givenId: undefined,
    method,
    path: pathname,
    query: search,
    header: (name) => headers.get(name) ?? undefined,
    error: searchParams.get("error") ?? undefined,
  };
}
