import { connect, type Socket } from "node:net";

export interface Load {
  readonly port: number;
  /** The number of connections, each with one request at a time. */
  readonly connections: number;
  /** The next request as sent over the wire, or `undefined` at the end. */
  next(): string | undefined;
  /** The required status of every response, because a benchmark of errors measures nothing. */
  readonly status: number;
  /** Text that every response must contain, if the status alone is not enough. */
  readonly text?: string;
}

const TIMEOUT_MS = 60_000;

/** Sends requests over keep-alive connections, and returns the latency of each in ms. */
export async function run(load: Load): Promise<readonly number[]> {
  const latencies: number[] = [];
  await Promise.all(Array.from({ length: load.connections }, () => runConnection(load, latencies)));
  return latencies;
}

function runConnection(load: Load, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const expected = load.text ?? "";
    const begin = `HTTP/1.1 ${load.status} `;
    let sentAt = 0;
    let received = "";
    const send = (): void => {
      const request = load.next();
      if (request === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request, "latin1");
    };
    const take = (text: string): void => {
      received = received === "" ? text : received + text;
      const end = endOfResponse(received);
      if (end === undefined || received.length < end) return;
      if (!received.startsWith(begin) || !received.includes(expected)) {
        throw new Error(`unexpected response: ${received.slice(0, 300)}`);
      }
      received = received.slice(end);
      latencies.push(performance.now() - sentAt);
      send();
    };
    const socket = connectTo(load.port, (text) => {
      try {
        take(text);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.on("timeout", () => socket.destroy(new Error("no response in time")));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    send();
  });
}

/** Reads into one buffer, because the load must cost less than the server. */
function connectTo(port: number, read: (text: string) => void): Socket {
  const socket = connect({
    port,
    host: "127.0.0.1",
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(65_536),
      callback(length, buffer) {
        read(Buffer.from(buffer.buffer, buffer.byteOffset, length).toString("latin1"));
        return true;
      },
    },
  });
  return socket.setTimeout(TIMEOUT_MS);
}

/** The length of the first response, or `undefined` while that is unknown. */
function endOfResponse(received: string): number | undefined {
  const headersEnd = received.indexOf("\r\n\r\n");
  if (headersEnd === -1) return undefined;
  const headers = received.slice(0, headersEnd + 2);
  const length = /\r\ncontent-length: *(\d+)/i.exec(headers)?.[1];
  return length === undefined
    ? endOfChunks(headers, received, headersEnd + 4)
    : headersEnd + 4 + Number(length);
}

function endOfChunks(headers: string, received: string, start: number): number | undefined {
  if (!/\r\ntransfer-encoding: *chunked\r\n/i.test(headers)) {
    throw new Error("a response without a length or chunks");
  }
  for (let at = start; ; ) {
    const lineEnd = received.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(received.slice(at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0 || at > received.length) return size === 0 ? at : undefined;
  }
}

/** Sends one request over its own connection, and returns the raw response. */
export async function ask(port: number, request: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  try {
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    socket.setEncoding("latin1").write(request);
    let received = "";
    for await (const chunk of socket) {
      received += chunk;
      const end = endOfResponse(received);
      if (end !== undefined && received.length >= end) return received;
    }
    throw new Error("the server closed the connection");
  } finally {
    socket.destroy();
  }
}

/** Repeats a request, for `next`. */
export function times(count: number, request: string): () => string | undefined {
  let left = count;
  return () => (left-- > 0 ? request : undefined);
}

/** Client addresses, each `perAddress` times, so that the sign-in limit denies none. */
export function* addresses(perAddress: number = 1, first: number = 1): Generator<string, never> {
  for (let number = first; ; number += 1) {
    const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    for (let times = 0; times < perAddress; times += 1) yield address;
  }
}
