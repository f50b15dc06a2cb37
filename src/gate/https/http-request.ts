import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { type RequestOptions, request as requestTls } from "node:https";
import type { SecureContext } from "node:tls";
import { Fault, getErrorCode, getErrorReason } from "../../lib/fault.ts";

export interface HttpRequest
  extends Readonly<Pick<RequestOptions, "headers" | "lookup" | "rejectUnauthorized">> {
  readonly method?: "GET" | "HEAD" | "POST";
  readonly body?: string;
  /** Contains the CAs to trust. By default, Node's own list applies. */
  readonly secureContext?: SecureContext;
  /** Limits the time until the end of the response. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly stop?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body ends after the chunk that exceeds `maxBytes`. */
  readonly body: string;
}

/**
 * Sends one request without following redirects. Rejects unless an HTTP response arrives in time.
 */
export async function sendRequest(url: URL, httpRequest: HttpRequest): Promise<HttpResponse> {
  const { method = "GET", body = "", timeoutMs, maxBytes, stop, ...rest } = httpRequest;
  const timeoutSignal = AbortSignal.timeout(timeoutMs);
  const signal = stop === undefined ? timeoutSignal : AbortSignal.any([stop, timeoutSignal]);
  const options: RequestOptions = { ...rest, method, signal, agent: false };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = (url.protocol === "https:" ? requestTls : request)(url, options, resolve);
      outgoing.on("error", reject);
      // After a 101 response, Node closes the connection without another event.
      outgoing.on("close", () =>
        reject(new Error("the connection was closed without an HTTP response")),
      );
      outgoing.end(body);
    });
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: await readBody(response, maxBytes) };
  } catch (error) {
    if (!timeoutSignal.aborted || stop?.aborted === true) throw error;
    throw new Fault("response_timeout", `no response within ${timeoutMs / 1_000} seconds`);
  }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "the name server does not answer",
  EHOSTUNREACH: "no route to this host",
  ENETUNREACH: "no route to this network",
  ECONNRESET: "the connection was closed without a response",
  EPROTO: "it does not use TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not use TLS",
};

export const explainNetworkError = (error: unknown): string =>
  REASONS[getErrorCode(error) ?? ""] ?? getErrorReason(error);
