import { Agent, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Sending } from "../../test/support/client.ts";
import type { Sent } from "./judge/requests.ts";

const GIVE_UP_AFTER_MS = 30_000;

export interface Request extends Sending {
  readonly kind: string;
  readonly path: string;
  readonly sound: (answer: Heard) => boolean;
}

export interface Heard {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
  readonly session: string | undefined;
  readonly body: string;
}

export interface Spoken extends Sent {
  readonly heard: Heard | undefined;
}

/** A client that keeps its one connection for as long as it can. Failures are told, not thrown. */
export interface Caller {
  ask(request: Request): Promise<Spoken>;
  close(): void;
}

export function callerTo(url: string): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const proven = new WeakSet<Socket>();
  return {
    ask: (asked) => ask(url, agent, proven, asked),
    close: () => agent.destroy(),
  };
}

/** How it went with a request, as it is told the moment that it is over. */
export function spokenOf(
  { kind, sound }: Request,
  sentAt: number,
  fate: Sent["fate"],
  heard: Heard | undefined,
): Spoken {
  return {
    kind,
    sentAt,
    ms: performance.now() - sentAt,
    fate,
    status: heard?.status ?? 0,
    sound: heard !== undefined && sound(heard) ? "yes" : "no",
    heard,
  };
}

/** `proven` are the connections over which an answer has come. */
function ask(url: string, agent: Agent, proven: WeakSet<Socket>, asked: Request): Promise<Spoken> {
  let socket: Socket | undefined;
  const sentAt = performance.now();
  return new Promise((resolve) => {
    const told = (fate: Sent["fate"], heard?: Heard): void =>
      resolve(spokenOf(asked, sentAt, fate, heard));
    const body = asked.form && new URLSearchParams(asked.form).toString();
    const outgoing = request(
      `${url}${asked.path}`,
      {
        agent,
        signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
        method: body === undefined ? "GET" : "POST",
        headers: headersOf(asked, body),
      },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        incoming.on("error", () => told("cut"));
        incoming.on("end", () => {
          if (socket !== undefined) proven.add(socket);
          told("answered", heardIn(incoming, text));
        });
      },
    );
    outgoing.on("socket", (given) => {
      socket = given;
    });
    outgoing.on("error", () =>
      told(socket !== undefined && proven.has(socket) ? "reset" : "refused"),
    );
    outgoing.end(body);
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

function heardIn(incoming: IncomingMessage, body: string): Heard {
  const cookie = incoming.headers["set-cookie"]?.at(-1) ?? "";
  return {
    status: incoming.statusCode ?? 0,
    location: incoming.headers.location,
    retryAfter: incoming.headers["retry-after"],
    session: /^session=([^;]+)/.exec(cookie)?.[1],
    body,
  };
}
