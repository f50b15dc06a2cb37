import { connect, type Socket } from "node:net";

export interface Load {
  readonly port: number;
  /** How many connections, each with one request under way at a time. */
  readonly connections: number;
  /** The next request as it goes over the wire, or `undefined` when it is enough. */
  next(): string | undefined;
  /** The status that every answer has to have: a benchmark of errors measures nothing. */
  readonly status: number;
  /** What else every answer has to have in it, where the status alone does not tell. */
  readonly text?: string;
}

const GIVE_UP_AFTER_MS = 60_000;

/** Sends requests over connections that stay open. Answers with the latency of each, in ms. */
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
    socket.setEncoding("latin1").setTimeout(GIVE_UP_AFTER_MS);
    socket.on("timeout", () => failed(socket, reject, "none at all"));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk: string) => {
      received += chunk;
      let rest: string | undefined;
      try {
        rest = afterAnswer(received);
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
  reject(new Error(`unexpected answer: ${received.slice(0, 300)}`));
  socket.destroy();
}

/** What follows the first whole answer, or `undefined` while it is not whole. */
function afterAnswer(received: string): string | undefined {
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
    throw new Error("an answer without an end");
  }
  for (let at = start; ; ) {
    const lineEnd = received.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(received.slice(at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0 || at > received.length) return size === 0 ? at : undefined;
  }
}

/** One request on a connection of its own. Answers with all that came back, headers first. */
export async function ask(port: number, request: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  try {
    socket.setTimeout(GIVE_UP_AFTER_MS, () => socket.destroy());
    socket.setEncoding("latin1").write(request);
    let received = "";
    for await (const chunk of socket) {
      received += chunk;
      if (afterAnswer(received) !== undefined) return received;
    }
    throw new Error("the server closed the connection");
  } finally {
    socket.destroy();
  }
}

/** A counter over a fixed request, for `next`. */
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
