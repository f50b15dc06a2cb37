import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { toError } from "../lib/fault.ts";
import type { Answer } from "./responses.ts";

/** Declares what the responses of HTTP/1 and HTTP/2 have in common. */
interface Writable {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  end(body?: string | Uint8Array): unknown;
}

/**
 * Sends the answer as the response to a Node request. Throws only an `Error`.
 *
 * @example
 * ```ts
 * const handle = async (request: IncomingMessage, response: ServerResponse) =>
 *   sendAnswer(await auth.adapter.answer(nodeRequest(request, response)), response);
 * ```
 */
export function sendAnswer(
  { status, headers, cookies, body }: Answer,
  response: ServerResponse | Http2ServerResponse,
): void {
  const to: Writable = response;
  const all = cookies.length === 0 ? headers : { ...headers, "Set-Cookie": [...cookies] };
  try {
    to.writeHead(status, all);
    if (body === null) to.end();
    else to.end(body);
  } catch (thrown) {
    // Other middleware may have replaced these methods.
    throw toError(thrown);
  }
}

/**
 * Converts the answer to a Fetch response.
 *
 * @example
 * ```ts
 * const handle = async (request: Request) =>
 *   toResponse(await auth.adapter.answer(fetchRequest(request)));
 * ```
 */
export function toResponse({ status, headers, cookies, body }: Answer): Response {
  const response = new Response(body, { status, headers: { ...headers } });
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}
