import type { OutgoingHttpHeaders } from "node:http";
import { errorOf } from "../../core/base/fault.ts";
import type { Answer } from "./responses.ts";

/** The part of Node's `ServerResponse`, of HTTP/1 or HTTP/2, that is used. */
export interface Sendable {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  end(body?: string | Uint8Array): unknown;
}

/**
 * Sends the answer as the response to a Node request. Throws an `Error` only.
 *
 * @example
 * ```ts
 * const handle = async (request: IncomingMessage, response: ServerResponse) =>
 *   sendAnswer(await auth.adapter.answer(nodeRequest(request, response)), response);
 * ```
 */
export function sendAnswer({ status, headers, cookies, body }: Answer, to: Sendable): void {
  const all = cookies.length === 0 ? headers : { ...headers, "Set-Cookie": [...cookies] };
  try {
    to.writeHead(status, all);
    if (body === null) to.end();
    else to.end(body);
  } catch (thrown) {
    // Other middleware can have replaced these methods.
    throw errorOf(thrown);
  }
}

/**
 * The answer as a Fetch response.
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
