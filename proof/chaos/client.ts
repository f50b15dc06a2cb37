import { Agent, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Sending } from "../../test/support/client.ts";
import type { Sent } from "./judge/requests.ts";

const TIMEOUT_MS = 30_000;

export interface Request extends Sending {
  readonly kind: string;
  readonly path: string;
  /** Whether the response is one that the request may get. */
  readonly expected: (response: ClientResponse) => boolean;
}

export interface ClientResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  readonly session: string | undefined;
  readonly body: string;
}

export interface Exchange extends Sent {
  readonly response: ClientResponse | undefined;
}

/** A client that keeps its one connection open as long as possible. Failures are returned. */
export interface Client {
  send(request: Request): Promise<Exchange>;
  close(): void;
}

export function createClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const proven = new WeakSet<Socket>();
  return {
    send: (request) => send(url, agent, proven, request),
    close: () => agent.destroy(),
  };
}

/** The outcome of a request that has just ended. */
export function exchangeOf(
  { kind, expected }: Request,
  sentAt: number,
  fate: Sent["fate"],
  response: ClientResponse | undefined,
): Exchange {
  return {
    kind,
    sentAt,
    ms: performance.now() - sentAt,
    fate,
    status: response?.status ?? 0,
    expected: response !== undefined && expected(response) ? "yes" : "no",
    response,
  };
}

/** `proven` are the connections that have delivered a response. */
function send(
  url: string,
  agent: Agent,
  proven: WeakSet<Socket>,
  outgoing: Request,
): Promise<Exchange> {
  let socket: Socket | undefined;
  const sentAt = performance.now();
  return new Promise((resolve) => {
    const settle = (fate: Sent["fate"], response?: ClientResponse): void =>
      resolve(exchangeOf(outgoing, sentAt, fate, response));
    const body = outgoing.form && new URLSearchParams(outgoing.form).toString();
    const started = request(
      `${url}${outgoing.path}`,
      {
        agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        method: body === undefined ? "GET" : "POST",
        ...(outgoing.from === undefined ? {} : { localAddress: outgoing.from }),
        headers: headersOf(outgoing, body),
      },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        incoming.on("error", () => settle("cut"));
        incoming.on("end", () => {
          if (socket !== undefined) proven.add(socket);
          settle("answered", responseOf(incoming, text));
        });
      },
    );
    started.on("socket", (given) => {
      socket = given;
    });
    started.on("error", () =>
      settle(socket !== undefined && proven.has(socket) ? "reset" : "refused"),
    );
    started.end(body);
  });
}

const headersOf = (
  { session, headers }: Request,
  body: string | undefined,
): Readonly<Record<string, string | number>> => ({
  ...(session === undefined ? {} : { Cookie: `session=${session}` }),
  ...(body === undefined
    ? {}
    : {
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": Buffer.byteLength(body),
      }),
  ...headers,
});

function responseOf(incoming: IncomingMessage, body: string): ClientResponse {
  const cookie = incoming.headers["set-cookie"]?.at(-1) ?? "";
  return {
    status: incoming.statusCode ?? 0,
    location: incoming.headers.location,
    retryAfter: incoming.headers["retry-after"],
    session: /^session=([^;]+)/.exec(cookie)?.[1],
    body,
  };
}
