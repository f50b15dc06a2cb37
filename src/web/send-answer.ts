import type { OutgoingHttpHeaders } from "node:http";
import type { Answer } from "./responses.ts";

/** The part of Node's `ServerResponse`, of HTTP/1 or HTTP/2, that is used. */
export interface Sendable {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  end(body?: string | Uint8Array): unknown;
}

/** Sends the answer as the response to a Node request. */
export function sendAnswer({ status, headers, cookies, body }: Answer, to: Sendable): void {
  to.writeHead(status, cookies.length === 0 ? headers : { ...headers, "Set-Cookie": [...cookies] });
  if (body === null) to.end();
  else to.end(body);
}
