import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type HttpResponse, responseOf } from "./response.ts";
import {
  ANSWER_WITHIN_MS,
  connect,
  NoResponse,
  type Sending,
  type ServerAddress,
  type SharedConnection,
  unreachable,
} from "./wire.ts";

/** The versions that attacks run over. */
export type HttpVersion = "1.1" | "2";

/** @throws NoResponse if the server cannot be reached */
export async function offeredVersions(address: ServerAddress): Promise<readonly HttpVersion[]> {
  if (address.protocol === "http:") return ["1.1"];
  const timeout = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const socket = await handshake(connect(address, undefined, ["h2", "http/1.1"]), timeout);
  socket.destroy();
  return socket.alpnProtocol === "h2" ? ["1.1", "2"] : ["1.1"];
}

export interface Http2Request {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string | readonly string[]])[];
  readonly body: Buffer;
}

/**
 * Sends one request over HTTP/2. A request that HTTP/2 cannot express, or whose stream or connection
 * the server resets, counts as refused: HTTP/1.1 servers answer 400.
 *
 * @throws NoResponse if the server cannot be reached, or does not respond in time
 */
export async function sendOverHttp2(
  address: ServerAddress,
  request: Http2Request,
  { from, withinMs = ANSWER_WITHIN_MS, signal }: Omit<Sending, "methods">,
): Promise<HttpResponse> {
  const timeout = AbortSignal.timeout(withinMs);
  const stopping = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  try {
    const { http2: shared } = address;
    if (shared !== undefined && from === undefined) {
      const session = await sharedSession(address, shared, stopping);
      const response = await exchangeOn(session, request, stopping).catch(() => undefined);
      if (response !== undefined) return response;
      // Another request may be why the connection failed, so this one is repeated alone.
    }
    stopping.throwIfAborted();
    const session = await openSession(address, from, stopping);
    return await exchangeOn(session, request, stopping).finally(() => session.destroy());
  } catch (error) {
    if (stopping.aborted) throw new NoResponse(timeout.aborted ? "no response in time" : "stopped");
    if (isRefusal(error)) return refused;
    throw error;
  }
}

/** Closes the connection that requests to this address share. */
export async function closeShared({ http2 }: ServerAddress): Promise<void> {
  const session = await http2?.session?.catch(() => undefined);
  session?.destroy();
}

function sharedSession(
  address: ServerAddress,
  shared: SharedConnection,
  signal: AbortSignal,
): Promise<ClientHttp2Session> {
  shared.session = Promise.resolve(shared.session)
    .catch(() => undefined)
    .then((session) =>
      session === undefined || session.closed ? openSession(address, undefined, signal) : session,
    );
  return shared.session;
}

async function openSession(
  address: ServerAddress,
  from: string | undefined,
  signal: AbortSignal,
): Promise<ClientHttp2Session> {
  const socket = await handshake(connect(address, from, ["h2"]), signal);
  const session = connectHttp2("https://localhost", { createConnection: () => socket });
  // Its streams report the error.
  session.on("error", () => undefined);
  return session;
}

export async function handshake(socket: Socket, signal: AbortSignal): Promise<TLSSocket> {
  if (!(socket instanceof TLSSocket)) throw new TypeError("HTTP/2 needs https");
  try {
    await once(socket, "secureConnect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error instanceof Error ? unreachable(error) : error;
  }
}

const exchangeOn = (
  session: ClientHttp2Session,
  { method, path, headers, body }: Http2Request,
  signal: AbortSignal,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const stream = session.request(
      { ...fieldsOf(headers), ":method": method, ":path": path },
      { endStream: body.length === 0, signal },
    );
    const chunks: Buffer[] = [];
    let head: readonly string[] | undefined;
    stream.on("response", (_headers, _flags, rawHeaders: readonly string[]) => {
      head = rawHeaders;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", (error) => head === undefined && reject(error));
    // Also after an error: a server may answer and then reset the stream of a body that is too long.
    stream.on("close", () => {
      if (head !== undefined && !signal.aborted) resolve(responseFrom(head, Buffer.concat(chunks)));
      else reject(new NoResponse("the stream was closed without a response"));
    });
    if (body.length > 0) stream.end(body);
  });

/** Headers that describe one HTTP/1.1 connection and do not exist in HTTP/2. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

function fieldsOf(headers: Http2Request["headers"]): OutgoingHttpHeaders {
  const fields = headers.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (CONNECTION_HEADERS.has(lower)) return [];
    return [[lower === "host" ? ":authority" : lower, [value].flat()] as const];
  });
  return Object.fromEntries(fields);
}

const refused: HttpResponse = responseOf(400, [], "");

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^ERR_(HTTP2|INVALID)_/.test(String(error.code));

function responseFrom(head: readonly string[], body: Buffer): HttpResponse {
  const headers = head.flatMap((name, at): readonly (readonly [string, string])[] =>
    at % 2 === 0 ? [[name, head[at + 1] ?? ""]] : [],
  );
  const status = Number(headers.find(([name]) => name === ":status")?.[1]);
  const fields = headers.filter(([name]) => !name.startsWith(":"));
  return responseOf(status, fields, body.toString("latin1"));
}
