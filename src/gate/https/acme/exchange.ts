import { Agent } from "node:https";
import { AnyFault } from "../../../core/base/fault.ts";
import { connectionFailure, type HttpResponse, sendRequest } from "../http-request.ts";
import { unusable } from "./problem.ts";

const TIMEOUT_MS = 30_000;
/** A certificate chain takes a few thousand bytes. */
const MAX_RESPONSE_BYTES = 256 * 1024;

/** Several times what an order takes: some 10 requests, up to 120 polls, and nonces to repeat them. */
const MAX_REQUESTS = 500;

/** HTTPS requests to the certificate authority, for one attempt. */
export interface Exchange extends Disposable {
  send(method: "GET" | "HEAD" | "POST", url: string, body?: string): Promise<HttpResponse>;
}

export function createExchange(
  trusted: readonly string[],
  stop: AbortSignal,
  timeoutMs: number = TIMEOUT_MS,
): Exchange {
  const agent = new Agent({ ca: [...trusted], keepAlive: true, maxSockets: 2 });
  const limits = { agent, stop, timeoutMs, maxBytes: MAX_RESPONSE_BYTES };
  let left = MAX_REQUESTS;
  return {
    async send(method, text, body = "") {
      if (left === 0) throw unusable(`links to more than ${MAX_REQUESTS} requests`);
      left -= 1;
      const url = httpsUrl(text);
      const type = { "Content-Type": "application/jose+json" };
      const headers = { "User-Agent": "latchkey", ...(method === "POST" ? type : {}) };
      const sent = { method, headers, body, ...limits };
      const response = await sendRequest(url, sent).catch((error) => {
        if (stop.aborted) throw error;
        const reason = `cannot reach ${url.host}: ${connectionFailure(error)}`;
        throw new AnyFault("acme_unreachable", reason, { cause: error });
      });
      if (Buffer.byteLength(response.body) <= MAX_RESPONSE_BYTES) return response;
      throw unusable("too much text");
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** The authority's responses contain further URLs: each must use HTTPS. */
export function httpsUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:") return url;
  throw unusable("a URL without https");
}
