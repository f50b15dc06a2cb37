import type { EventEmitter } from "node:events";
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2Stream,
  type ServerHttp2Session,
} from "node:http2";
import { Server as NetServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Handler } from "../create-handler.ts";
import { type DrainableServer, SERVER_OPTIONS, watchConnections } from "../listener.ts";
import { limitPipelines } from "../pipeline-limit.ts";
import { requireHost, respondToRefusals } from "../refusals.ts";
import { type CertificateSource, TLS_OPTIONS } from "./certificate.ts";
import { limitStreams, MAX_HEADER_LIST_BYTES } from "./stream-limits.ts";

/**
 * Limits the time of clients, in milliseconds. The limits are short, because Node's own limits let
 * slow connections accumulate. Node has no limit for a stream.
 */
const TIMEOUTS = {
  handshake: 5_000,
  /** Limits the time from a request to the end of its response, over HTTP/2. */
  stream: 30_000,
  /** Limits the time without any data on the connection, over HTTP/2. */
  silence: 60_000,
};
const MAX_STREAMS = 100;
/** Limits the headers and unsent responses of a connection. Further streams are refused. */
const MAX_SESSION_MIB = 2;
/**
 * Limits how many streams a client may reset at once, and then per second. With Node's burst of
 * 1,000, a client can slow down all others by resetting its requests. A proxy that forwards the
 * resets of its own clients opens a new connection.
 */
const RESETS = { streamResetBurst: 100, streamResetRate: 33 };

export type HttpsServer = Http2SecureServer & DrainableServer;

/**
 * Serves HTTP/2, with HTTP/1.1 as fallback. Without a certificate, it refuses every handshake. It
 * listens from the start, so that a port in use is reported at startup.
 */
export function createHttpsServer(
  handle: Handler,
  source: CertificateSource,
  timeouts: typeof TIMEOUTS = TIMEOUTS,
): HttpsServer {
  const serve = limitPipelines(requireHost(handle));
  const server = createSecureServer(
    {
      ...TLS_OPTIONS,
      ...SERVER_OPTIONS,
      allowHTTP1: true,
      handshakeTimeout: timeouts.handshake,
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_LIST_BYTES },
      maxSessionMemory: MAX_SESSION_MIB,
      ...RESETS,
      SNICallback: (host, tell) => tell(null, source.findCertificate(host)?.context),
    },
    limitStreams((incoming, outgoing) => {
      if ("stream" in incoming) normalize(incoming);
      return serve(incoming, outgoing);
    }),
  );
  respondToRefusals(server);
  // A client without SNI gets the first certificate.
  source.onChange(() => {
    server.setSecureContext({ ...TLS_OPTIONS, ...source.current[0]?.pem });
  });
  server.on("session", (session) => {
    session.setTimeout(timeouts.silence, () => session.destroy());
    // This handshake ended after the server closed, and `close` only ends sessions that existed
    // then.
    if (!server.listening) session.close();
  });
  server.on("stream", (stream) => {
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), timeouts.stream);
    stream.once("close", () => clearTimeout(timer));
  });
  const closeUnused = watchConnections(server, "secureConnection");
  // Failed handshakes and lost connections are client errors, and are not logged.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("sessionError", () => {});
  // Node 24 ignores these options for HTTP/1.1 over TLS.
  return makeDrainable(Object.assign(server, SERVER_OPTIONS), closeUnused);
}

/** Gives an HTTP/2 request the fields that handlers expect from HTTP/1.1. */
function normalize(incoming: Http2ServerRequest): void {
  if (incoming.headers.host === undefined) {
    incoming.rawHeaders.push("host", incoming.headers[":authority"] ?? "");
  }
  // A closed stream loses its connection while the handler still uses the request.
  const { remoteAddress } = incoming.socket;
  const destroyed = remoteAddress === undefined;
  Object.defineProperty(incoming, "socket", {
    value: { remoteAddress, destroyed, encrypted: true },
  });
}

/** Adds a forced close for all connections, which Node's HTTP/2 server lacks. */
function makeDrainable(server: Http2SecureServer, closeUnused: () => void): HttpsServer {
  const sockets = trackOpen<Socket>(server, "connection");
  const sessions = trackOpen<ServerHttp2Session>(server, "session");
  const streams = trackOpen<Http2Stream>(server, "stream");
  const inHandshake = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const peer = formatPeer(socket);
    inHandshake.set(peer, socket);
    socket.once("close", () => {
      if (inHandshake.get(peer) === socket) inHandshake.delete(peer);
    });
  });
  server.on("secureConnection", (socket: TLSSocket) => inHandshake.delete(formatPeer(socket)));
  const closeIdle: unknown = Reflect.get(server, "closeIdleConnections");
  return Object.assign(server, {
    finish: (closed: () => void) => {
      NetServer.prototype.close.call(server, closed);
      for (const session of sessions) session.close();
    },
    closeIdleConnections: () => {
      if (typeof closeIdle === "function") closeIdle.call(server);
      closeUnused();
      // The client may still be sending the body of a request that already has its response.
      for (const stream of streams) if (stream.writableFinished) stream.close();
      for (const socket of inHandshake.values()) socket.destroy();
    },
    closeAllConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
  });
}

/**
 * Returns the set of open emitters that the event has reported. It removes each one when it closes.
 */
function trackOpen<T extends EventEmitter>(server: Http2SecureServer, event: string): Set<T> {
  const open = new Set<T>();
  server.on(event, (emitter: T) => {
    open.add(emitter);
    emitter.once("close", () => open.delete(emitter));
  });
  return open;
}

const formatPeer = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress} ${remotePort}`;
