import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { listenOn } from "../support/listen.ts";
import { echoTexts } from "./websocket.ts";

export interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: string;
}

export interface RecordingApp {
  /** Host and port. */
  readonly place: string;
  /** The requests that have reached the application so far. */
  readonly arrivals: readonly Arrival[];
}

/** An event every 100 ms, for as long as the connection is open. */
function sendEvents(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const sending = setInterval(() => response.write("data: event\n\n"), 100);
  response.on("close", () => clearInterval(sending));
}

/**
 * A protected application that records its requests. It answers `/own-401` with 401, and so on,
 * `/echo` with the headers it received, as JSON, and `/events` with a stream of events.
 */
export async function startRecordingApp(t: TestContext): Promise<RecordingApp> {
  const arrivals: Arrival[] = [];
  // Room for every request, since a guard may fail for one that Node would refuse.
  const server = createServer({ maxHeaderSize: 1_000_000 }, async (request, response) => {
    const { method = "", url = "", headers } = request;
    const chunks: Buffer[] = await request.toArray();
    const { trailers } = request;
    arrivals.push({ method, url, headers, trailers, body: Buffer.concat(chunks).toString("utf8") });
    if (url === "/events") return sendEvents(response);
    response.statusCode = Number(/^\/own-(\d+)$/.exec(url)?.[1] ?? 200);
    response.end(url === "/echo" ? JSON.stringify(headers) : "the application");
  });
  server.on("upgrade", (request, socket) => {
    const { method = "", url = "", headers } = request;
    arrivals.push({ method, url, headers, trailers: {}, body: "" });
    echoTexts(request, socket);
  });
  return { place: `127.0.0.1:${await listenOn(t, server)}`, arrivals };
}
