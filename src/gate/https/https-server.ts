import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from "node:http2";
import { Server as NetServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { cutStalled, type Drainable, type Handle, TIMEOUTS } from "../listener.ts";
import { TLS_OPTIONS } from "./certificate.ts";
import { type CertificateSource, certificateFor } from "./certificate-source.ts";

/** How long the other side may take, in milliseconds. */
export interface TlsTimeouts {
  readonly handshake: number;
  /** Between a request and the end of its answer, over HTTP/2. */
  readonly stream: number;
  /** Without a word, over HTTP/2. */
  readonly silence: number;
}

/** Short, since Node's own would let slow connections gather: for a stream it has no end. */
const TLS_TIMEOUTS: TlsTimeouts = { handshake: 5_000, stream: 30_000, silence: 60_000 };
const MAX_STREAMS = 100;

export type HttpsServer = Http2SecureServer & Drainable;

/**
 * HTTP/2, and HTTP/1.1 for those who know no better. Until there is a certificate, every handshake
 * is refused: the port is taken from the start, so that a port that cannot be had is told of then.
 */
export function createHttpsServer(
  handle: Handle,
  source: CertificateSource,
  timeouts: TlsTimeouts = TLS_TIMEOUTS,
): HttpsServer {
  const server = createSecureServer(
    {
      ...TLS_OPTIONS,
      ...TIMEOUTS,
      allowHTTP1: true,
      handshakeTimeout: timeouts.handshake,
      settings: { maxConcurrentStreams: MAX_STREAMS },
      SNICallback: (host, tell) => tell(null, certificateFor(source, host)?.context),
    },
    (incoming, outgoing) => {
      if (incoming.httpVersionMajor === 2) settle(incoming);
      return handle(incoming, outgoing);
    },
  );
  // Whoever names no host is shown the first one.
  source.onChange(() => {
    server.setSecureContext({ ...TLS_OPTIONS, ...source.current()[0]?.pem });
  });
  server.on("session", (session) => {
    session.setTimeout(timeouts.silence, () => session.destroy());
    // Its handshake was at work when the server closed, which ends only those that are there.
    if (!server.listening) session.close();
  });
  server.on("stream", (stream) => {
    const late = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), timeouts.stream);
    stream.once("close", () => clearTimeout(late));
  });
  cutStalled(server, "secureConnection");
  // Broken handshakes and connections cut off are the other side's business.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("sessionError", () => {});
  // Node 24 has its own for HTTP/1.1 over TLS, whatever the options say.
  return drainable(Object.assign(server, TIMEOUTS));
}

/** What everything behind this asks of a request, where HTTP/2 has it otherwise. */
function settle(incoming: Http2ServerRequest): void {
  if (incoming.headers.host === undefined) {
    incoming.rawHeaders.push("host", incoming.headers[":authority"] ?? "");
  }
  // A stream that is cut off forgets its connection, while the request is still at work.
  const { remoteAddress } = incoming.socket;
  const destroyed = remoteAddress === undefined;
  Object.defineProperty(incoming, "socket", {
    value: { remoteAddress, destroyed, encrypted: true },
  });
}

/** Node ends HTTP/2 sessions gently on request, and no connection by force. */
function drainable(server: Http2SecureServer): HttpsServer {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  const inHandshake = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    sockets.add(socket);
    inHandshake.set(peer, socket);
    socket.once("close", () => {
      sockets.delete(socket);
      if (inHandshake.get(peer) === socket) inHandshake.delete(peer);
    });
  });
  server.on("secureConnection", (socket: TLSSocket) => inHandshake.delete(peerOf(socket)));
  const closeIdle: unknown = Reflect.get(server, "closeIdleConnections");
  return Object.assign(server, {
    finish: (closed: () => void) => {
      NetServer.prototype.close.call(server, closed);
      for (const session of sessions) session.close();
    },
    closeIdleConnections: () => {
      if (typeof closeIdle === "function") closeIdle.call(server);
      for (const socket of inHandshake.values()) socket.destroy();
    },
    closeAllConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
  });
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
