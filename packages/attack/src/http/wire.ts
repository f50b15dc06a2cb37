import type { ClientHttp2Session } from "node:http2";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { parseResponses } from "./response.ts";

export interface ServerAddress {
  readonly protocol: "http:" | "https:";
  readonly host: string;
  readonly port: number;
  /** If set, requests use HTTP/2, over this connection if possible. */
  readonly http2?: SharedConnection;
}

/** Opened with the first request. */
export interface SharedConnection {
  session?: Promise<ClientHttp2Session>;
}

/** The server cannot be reached, or does not respond in time. */
export class NoResponse extends Error {}

export interface Exchange {
  readonly bytes: Buffer;
  /** How it ended: by the server, with all expected responses complete, or by the time limit. */
  readonly ended: "closed" | "reset" | "complete" | "timeout";
}

export interface Sending {
  /** The methods of the requests, one per expected response. A response to HEAD has no body. */
  readonly methods: readonly string[];
  /** The local address to connect from. */
  readonly from?: string | undefined;
  readonly withinMs?: number;
  /** Aborts the exchange. */
  readonly signal?: AbortSignal | undefined;
}

/** The default time limit for a response. */
export const ANSWER_WITHIN_MS = 15_000;
/** No expected response is longer. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Sends bytes unchanged over its own connection and collects the response bytes, until the server
 * closes the connection or the expected responses are complete.
 */
export function exchange(
  address: ServerAddress,
  request: Uint8Array | string,
  { methods, from, withinMs = ANSWER_WITHIN_MS, signal }: Sending,
): Promise<Exchange> {
  if (signal?.aborted) return Promise.reject(new NoResponse("stopped"));
  const socket = connect(address, from);
  const chunks: Buffer[] = [];
  let size = 0;
  let isOpen = false;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish("timeout"), withinMs);
    const stop = (): void => fail(new NoResponse("stopped"));
    signal?.addEventListener("abort", stop);

    function tidy(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      socket.destroy();
    }
    function finish(ended: Exchange["ended"]): void {
      tidy();
      resolve({ bytes: Buffer.concat(chunks), ended });
    }
    function fail(error: Error): void {
      tidy();
      reject(error);
    }

    // An untrusted certificate is reported after the TCP connection is open.
    socket.on(address.protocol === "https:" ? "secureConnect" : "connect", () => {
      isOpen = true;
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      const responses = parseResponses(Buffer.concat(chunks), methods, "open");
      if (responses.length >= methods.length || size > MAX_BYTES) finish("complete");
    });
    socket.on("end", () => finish("closed"));
    socket.on("close", () => finish("closed"));
    // A server may reject a request and close while we still write; its response counts.
    socket.on("error", (error) => (isOpen ? finish("reset") : fail(unreachable(error))));
    // Latin-1 writes one byte per character; callers encode UTF-8 themselves.
    socket.write(typeof request === "string" ? Buffer.from(request, "latin1") : request);
  });
}

/** What connections to one server share: to trust the same authorities, and to skip the handshake. */
interface SharedTls {
  readonly secureContext: SecureContext;
  session?: Buffer;
}

const sharedTls = new Map<string, SharedTls>();

/** Opens a connection, for callers that send a request in pieces. */
export function connect(
  { protocol, host, port }: ServerAddress,
  from?: string,
  ALPNProtocols: string[] = ["http/1.1"],
): Socket {
  const local = from === undefined ? {} : { localAddress: from };
  if (protocol === "http:") return connectPlain({ host, port, ...local });
  // TLS allows only names in SNI; the certificate is checked against an IP address all the same.
  const named = isIP(host) === 0 ? { servername: host } : {};
  const key = `${host} ${port} ${ALPNProtocols.join()}`;
  const shared = sharedTls.get(key) ?? { secureContext: createSecureContext() };
  sharedTls.set(key, shared);
  const socket = connectTls({ host, port, ...named, ALPNProtocols, ...local, ...shared });
  return socket.on("session", (session: Buffer) => {
    shared.session = session;
  });
}

/** Errors that trusting another certificate authority would fix. */
const NOT_TRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Explains why no connection was made. */
export function unreachable(error: Error): NoResponse {
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (NOT_TRUSTED.has(code ?? "")) {
    // Without the advice for programmers that Node appends.
    const [reason] = error.message.split(";", 1);
    return new NoResponse(
      `the certificate is not trusted (${reason}); to trust its authority, set NODE_EXTRA_CA_CERTS=FILE`,
      { cause: error },
    );
  }
  const why: Readonly<Record<string, string>> = {
    ECONNREFUSED: "connection refused",
    ENOTFOUND: "unknown host name",
    EAI_AGAIN: "unknown host name",
    EHOSTUNREACH: "no route to the host",
    ENETUNREACH: "no route to the host",
    ETIMEDOUT: "no response in time",
  };
  return new NoResponse(why[code ?? ""] ?? error.message, { cause: error });
}
