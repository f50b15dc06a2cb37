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
    const socket = connect({ port: load.port, host: "127.0.0.1", noDelay: true });
    const expected = load.text ?? "";
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
      socket.write(request);
    };
    socket.setEncoding("latin1").setTimeout(TIMEOUT_MS);
    socket.on("timeout", () => failed(socket, reject, "none in time"));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk: string) => {
      received += chunk;
      let rest: string | undefined;
      try {
        rest = afterResponse(received);
      } catch (error) {
        socket.destroy();
        reject(error);
        return;
      }
      if (rest === undefined) return;
      if (!received.startsWith(`HTTP/1.1 ${load.status} `) || !received.includes(expected)) {
        failed(socket, reject, received);
        return;
      }
      received = rest;
      latencies.push(performance.now() - sentAt);
      send();
    });
    send();
  });
}

function failed(socket: Socket, reject: (error: Error) => void, received: string): void {
  reject(new Error(`unexpected response: ${received.slice(0, 300)}`));
  socket.destroy();
}

/** What follows the first complete response, or `undefined` while it is incomplete. */
function afterResponse(received: string): string | undefined {
  const headersEnd = received.indexOf("\r\n\r\n");
  if (headersEnd === -1) return undefined;
  const headers = received.slice(0, headersEnd + 2);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(headers)?.[1]);
  const end = Number.isNaN(length)
    ? endOfChunks(headers, received, headersEnd + 4)
    : headersEnd + 4 + length;
  return end === undefined || received.length < end ? undefined : received.slice(end);
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
      if (afterResponse(received) !== undefined) return received;
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

export function get(path: string, session?: string): string {
  const cookie = session === undefined ? "" : `Cookie: session=${session}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${cookie}\r\n`;
}

export function postForm(path: string, form: Record<string, string>, from: string): string {
  const body = new URLSearchParams(form).toString();
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Client addresses, each `perAddress` times, so that the sign-in limit is not what is measured. */
export function* addresses(perAddress: number = 1, first: number = 1): Generator<string, never> {
  for (let number = first; ; number += 1) {
    const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    for (let times = 0; times < perAddress; times += 1) yield address;
  }
}
