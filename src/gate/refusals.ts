import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2ServerResponse } from "node:http2";
import type { Duplex } from "node:stream";
import { BODYLESS_HEADERS, type Headers } from "../http/responses.ts";
import { sendAnswer } from "../http/send-answer.ts";
import { getErrorCode } from "../lib/fault.ts";
import type { Handler } from "./create-handler.ts";
import { hasWaitingRequests } from "./pipeline-limit.ts";

// `listener.ts` explains why this is not an import.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

const CLOSE: Headers = { Connection: "close" };
const HEADER_LINES = Object.entries({ ...CLOSE, ...BODYLESS_HEADERS })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");

/** Limits the time in which a client may send the rest of a refused request. */
const MAX_REST_MS = 1_000;

/** Maps the errors of Node's HTTP parser to a status. All other errors get 400. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Responds to requests that never reach a handler, with the headers of every other response. Node's
 * own responses to malformed HTTP/1.1 requests lack these headers. The handler of the server must
 * be one of `limitPipelines`.
 */
export function respondToRefusals(server: Server | Http2SecureServer): void {
  server.on("checkExpectation", (_incoming: IncomingMessage, outgoing: ServerResponse) =>
    sendTextResponse(outgoing, 417, CLOSE),
  );
  server.on("clientError", (error: Error, socket: RespondingSocket) => {
    // This data is the rest of a request that was already refused.
    if (socket.writableEnded) return;
    // During another response, the client would take the refusal for a part of that response.
    if (!socket.writable || isInResponse(socket)) {
      socket.destroy();
      return;
    }
    const status = STATUSES[getErrorCode(error) ?? ""] ?? 400;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${HEADER_LINES}\r\n`);
    // Closing with unread data would reset the connection before the client reads the response.
    socket.resume();
    setTimeout(() => socket.destroy(), MAX_REST_MS).unref();
  });
}

type Outgoing = ServerResponse | Http2ServerResponse;

/**
 * Describes where Node keeps the response that a connection sends or will send next. Node's own
 * handler of `clientError` reads it too. To note each response here would keep it in memory until
 * the next one, which costs the garbage collector more than the response.
 */
interface RespondingSocket extends Duplex {
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Returns whether a response is being sent on the connection, or whether requests wait for the end
 * of one.
 */
const isInResponse = (socket: RespondingSocket): boolean =>
  socket._httpMessage != null && (socket._httpMessage.headersSent || hasWaitingRequests(socket));

/**
 * Refuses HTTP/1.1 requests without a Host header. Node's own check would omit the security
 * headers.
 */
export function requireHost(handle: Handler): Handler {
  return (incoming, outgoing) => {
    if (incoming.httpVersion === "1.1" && incoming.headers.host === undefined) {
      sendTextResponse(outgoing, 400, CLOSE);
    } else {
      handle(incoming, outgoing);
    }
  };
}

/** Sends a text response outside the routes, with the headers of every other response. */
export function sendTextResponse(
  outgoing: Outgoing,
  status: number,
  headers: Headers,
  text = "",
): void {
  const length = String(Buffer.byteLength(text));
  const all = { ...BODYLESS_HEADERS, "Content-Length": length, ...headers };
  sendAnswer({ status, headers: all, cookies: [], body: text }, outgoing);
}
