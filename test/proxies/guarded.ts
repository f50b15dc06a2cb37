import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { setInterval as every } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";
import { listenOn } from "../support/listen.ts";
import { exampleOf, type SetUp } from "./examples.ts";
import { type RecordingApp, startRecordingApp } from "./recording-app.ts";
import { PROXY_HOST, type ProxyServer } from "./site.ts";

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

const OWNER = "Remote-User: owner\r\nRemote-User-Id: 1\r\n";

/**
 * A gate that admits a request with `session=valid` or the key `latchkey_valid`, answers others with 401, and fails as the page
 * asks for: `/fault/2` with the third of the faults.
 */
async function startScriptedGate(t: TestContext) {
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
    /** Refuses connections from now on. */
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Not the local network of the recipe. */
const OUTSIDE = "127.0.0.3";

export interface Visit {
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly method?: "GET" | "POST";
}

/** What a client sees: status 0 if the proxy closes the connection without an answer. */
export interface Seen {
  readonly status: number;
  readonly body: string;
}

/** An application behind a real proxy, with a gate that fails on demand. */
export interface Guarded {
  readonly app: RecordingApp;
  readonly gate: { stop(): void };
  /** The address of the proxy, and the host under which it has the app. */
  readonly url: string;
  readonly host: string;
  visit(visit: Visit): Promise<Seen>;
}

export async function startGuarded(
  t: TestContext,
  proxy: ProxyServer,
  setUp: SetUp = "One host",
  more: readonly string[] = [],
): Promise<Guarded> {
  const port = await freePort(PROXY_HOST);
  const host = `app.example.test:${port}`;
  const app = await startRecordingApp(t);
  const gate = await startScriptedGate(t);
  const { configuration } = exampleOf(proxy.page, setUp, more);
  await proxy.start(t, configuration, { gate: gate.place, app: app.place, host: PROXY_HOST, port });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const to = { host: PROXY_HOST, port, agent, localAddress: OUTSIDE };
  const visit = ({ path = "/", headers = {}, method = "GET" }: Visit): Promise<Seen> =>
    new Promise((resolve) => {
      request({ ...to, path, method, headers: { Host: host, ...headers } }, (incoming) => {
        const { statusCode: status = 0 } = incoming;
        text(incoming).then(
          (body) => resolve({ status, body }),
          () => resolve({ status, body: "" }),
        );
      })
        .on("error", () => resolve({ status: 0, body: "" }))
        .end(method === "POST" ? "a=1" : undefined);
    });
  return { app, gate, url: `http://${PROXY_HOST}:${port}`, host, visit };
}
