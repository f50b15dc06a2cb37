import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { readAnswers } from "./answers.ts";

/** Where a server listens. */
export interface Place {
  readonly protocol: "http:" | "https:";
  readonly host: string;
  readonly port: number;
}

/** Somebody who can be reached no longer, or does not answer in time. */
export class NoAnswer extends Error {}

export interface Exchange {
  readonly bytes: Buffer;
  /** How it ended: by the other side, or since all that was waited for had come. */
  readonly ended: "closed" | "reset" | "enough" | "too-late";
}

export interface Sending {
  /** What the answers answer: a HEAD has none with a body. */
  readonly methods: readonly string[];
  /** The local address to come from. */
  readonly from?: string | undefined;
  readonly withinMs?: number;
  /** Ends the exchange from outside. */
  readonly signal?: AbortSignal | undefined;
}

const ANSWER_WITHIN_MS = 15_000;
/** Nothing that is asked here has longer answers. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Sends bytes as they are over a connection of its own, and collects what comes back: until the
 * other side closes, or as many answers as there are methods are whole.
 */
export function exchange(
  place: Place,
  request: Uint8Array | string,
  { methods, from, withinMs = ANSWER_WITHIN_MS, signal }: Sending,
): Promise<Exchange> {
  if (signal?.aborted) return Promise.reject(new NoAnswer("stopped"));
  const socket = connect(place, from);
  const chunks: Buffer[] = [];
  let size = 0;
  let isOpen = false;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish("too-late"), withinMs);
    const stop = (): void => fail(new NoAnswer("stopped"));
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

    // A certificate that is not believed shows after the connection stands.
    socket.on(place.protocol === "https:" ? "secureConnect" : "connect", () => {
      isOpen = true;
    });
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      const { answers } = readAnswers(Buffer.concat(chunks), methods, "open");
      if (answers.length >= methods.length || size > MOST_BYTES) finish("enough");
    });
    socket.on("end", () => finish("closed"));
    socket.on("close", () => finish("closed"));
    // A server that refuses closes while we still write: what it said before counts.
    socket.on("error", (error) => (isOpen ? finish("reset") : fail(unreachable(error))));
    // One byte a character: what is meant to be UTF-8 is encoded before.
    socket.write(typeof request === "string" ? Buffer.from(request, "latin1") : request);
  });
}

/** A connection, for those who send in pieces. */
export function connect({ protocol, host, port }: Place, from?: string): Socket {
  const local = from === undefined ? {} : { localAddress: from };
  if (protocol === "http:") return connectPlain({ host, port, ...local });
  // Names alone are asked for; an address is compared with the certificate all the same.
  const named = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...named, ALPNProtocols: ["http/1.1"], ...local });
}

/** What another authority to trust would mend. */
const NOT_TRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function unreachable(error: Error): NoAnswer {
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (NOT_TRUSTED.has(code ?? "")) {
    // Without the advice for programmers that Node adds.
    const [reason] = error.message.split(";", 1);
    return new NoAnswer(
      `its certificate is not trusted here (${reason}): NODE_EXTRA_CA_CERTS=FILE names one that is`,
      { cause: error },
    );
  }
  const why: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nobody listens there",
    ENOTFOUND: "this host name is not known",
    EAI_AGAIN: "this host name is not known",
    EHOSTUNREACH: "there is no way to it",
    ENETUNREACH: "there is no way to it",
    ETIMEDOUT: "it does not answer",
  };
  return new NoAnswer(why[code ?? ""] ?? error.message, { cause: error });
}
