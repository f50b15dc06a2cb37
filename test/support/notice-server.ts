import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { listenOn } from "./listen.ts";

/** A request that the server has got, with its whole body. */
export interface ReceivedNotice {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface NoticeServer {
  readonly port: number;
  readonly received: readonly ReceivedNotice[];
  /** Resolves once this many requests have arrived. */
  waitFor(count: number): Promise<readonly ReceivedNotice[]>;
}

/** A request that does not come must not keep the test waiting for ever. */
const WAIT_MS = 20_000;

/** Starts a receiver of notices on a free port of loopback. `answer` gets the number of the request. */
export async function startNoticeServer(
  t: TestContext,
  answer: (response: ServerResponse, number: number) => void = (response) => void response.end(),
): Promise<NoticeServer> {
  const received: ReceivedNotice[] = [];
  const arrived = new EventEmitter();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url: path = "", headers } = request;
    received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    answer(response, received.length);
    arrived.emit("notice");
  });
  const port = await listenOn(t, server);
  return {
    port,
    received,
    async waitFor(count) {
      const signal = AbortSignal.timeout(WAIT_MS);
      while (received.length < count) await once(arrived, "notice", { signal });
      return received;
    },
  };
}

/**
 * Verifies a request as the specification of Standard Webhooks says, and returns its content. Nothing
 * here uses the code that signs.
 */
export async function verifyNotice(
  { headers, body }: ReceivedNotice,
  secret: string,
): Promise<Readonly<Record<string, unknown>>> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => {
    const value = headers[`webhook-${name}`];
    if (typeof value !== "string") throw new Error(`webhook-${name} is missing`);
    return value;
  });
  const bytes = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : new TextEncoder().encode(secret);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of String(signatures).split(" ")) {
    const [version, text = ""] = signature.split(",");
    if (version !== "v1") continue;
    if (await crypto.subtle.verify("HMAC", key, Buffer.from(text, "base64"), content))
      return JSON.parse(body);
  }
  throw new Error("no signature is right");
}
