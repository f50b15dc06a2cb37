import { createServer, type Server, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { setInterval as every } from "node:timers/promises";
import { listenOn } from "../support/listen.ts";

/** What a gate can send instead of an answer. None of it admits a request. */
export const faults: Readonly<Record<string, (socket: Socket) => unknown>> = {
  "accepts and never answers": () => {},
  "sends its answer byte by byte, and never all of it": trickle,
  "closes the connection": (socket) => socket.end(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "sends garbage": (socket) => socket.end(`${"\u0000\u0001 no HTTP ".repeat(50)}\r\n\r\n`),
  "sends an empty header": (socket) => socket.end("HTTP/1.1 200 OK\r\n: owner\r\n\r\n"),
  "answers 200 without a user": (socket) => socket.end(answer("200 OK")),
  "answers 200 with an empty user": (socket) =>
    socket.end(answer("200 OK", "Remote-User: \r\nRemote-User-Id: \r\n")),
  "answers 204 without a user": (socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"),
  "answers 100 and closes": (socket) => socket.end("HTTP/1.1 100 Continue\r\n\r\n"),
  "answers 101": (socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
  "answers 200 with 500 lines": (socket) =>
    socket.end(answer("200 OK", "X-Line: 1\r\n".repeat(500))),
  "answers 200 with a line of 100 kB": (socket) =>
    socket.end(answer("200 OK", `X-Line: ${"x".repeat(100_000)}\r\n`)),
  "answers 500": (socket) => socket.end(answer("500 Internal Server Error")),
  "answers 503": (socket) => socket.end(answer("503 Service Unavailable")),
  "stops within the status line": (socket) => socket.end("HTTP/1.1 20"),
  "stops within the headers": (socket) =>
    socket.end("HTTP/1.1 200 OK\r\nRemote-User: owner\r\nRemote-User-Id: 1"),
};

const answer = (status: string, headers = ""): string =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Length: 0\r\n\r\n`;

async function trickle(socket: Socket): Promise<void> {
  const bytes = [..."HTTP/1.1 200 OK\r\nX-Slow: 1"];
  for await (const _ of every(200)) {
    const byte = bytes.shift();
    if (byte === undefined || socket.destroyed) break;
    socket.write(byte);
  }
  socket.destroy();
}

export interface ScriptedGate {
  /** Host and port. */
  readonly place: string;
  /** Refuses connections from now on. */
  stop(): void;
}

const OWNER = "Remote-User: owner\r\nRemote-User-Id: 1\r\n";

/**
 * A gate that admits a request with `session=valid` or the key `latchkey_valid`, answers others with 401, and fails as the page
 * asks for: `/fault/2` with the third of the faults.
 */
export async function startScriptedGate(t: TestContext): Promise<ScriptedGate> {
  const behaviours = Object.values(faults);
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    let head = "";
    socket.on("error", () => socket.destroy());
    socket.setEncoding("latin1").on("data", (text: string) => {
      head += text;
      if (!head.includes("\r\n\r\n")) return;
      const fault = behaviours[Number(/^x-forwarded-uri: \/fault\/(\d+)/im.exec(head)?.[1])];
      if (fault !== undefined) fault(socket);
      else if (/^cookie:.*\bsession=valid/im.test(head)) socket.write(answer("200 OK", OWNER));
      else if (/^authorization:.*\blatchkey_valid/im.test(head))
        socket.write(answer("200 OK", `${OWNER}Latchkey-Key: accepted\r\n`));
      else socket.write(answer("401 Unauthorized"));
      head = "";
    });
  });
  const place = `127.0.0.1:${await listenOn(t, server)}`;
  return {
    place,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
