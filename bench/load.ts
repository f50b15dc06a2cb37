import { connect, type Socket } from "node:net";

export interface Load {
  readonly port: number;
  /** How many connections, each with one request under way at a time. */
  readonly connections: number;
  /** The next request as it goes over the wire, or `undefined` when it is enough. */
  next(): string | undefined;
  /** The status that every answer has to have: a benchmark of errors measures nothing. */
  readonly status: number;
}

/** Sends requests over connections that stay open. Answers with the latency of each, in ms. */
export async function run(load: Load): Promise<readonly number[]> {
  const latencies: number[] = [];
  await Promise.all(Array.from({ length: load.connections }, () => runConnection(load, latencies)));
  return latencies;
}

function runConnection(load: Load, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: load.port, host: "127.0.0.1", noDelay: true });
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
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (chunk: string) => {
      received += chunk;
      const rest = afterAnswer(received);
      if (rest === undefined) return;
      if (!received.startsWith(`HTTP/1.1 ${load.status} `)) {
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
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
  if (Number.isNaN(length)) throw new Error("an answer without Content-Length");
  const end = headersEnd + 4 + length;
  return received.length < end ? undefined : received.slice(end);
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
