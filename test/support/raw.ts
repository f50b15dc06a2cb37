import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TestContext } from "node:test";

/** A connection that ends with the test, and that the server may reset. */
export async function openSocket(t: TestContext, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Sends raw bytes over a new connection and returns the whole response. */
export function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("end", () => {
      socket.end();
      resolve(Buffer.concat(chunks).toString("utf8"));
    });
  });
}

/** A request with a form, to send as it is. */
export const formRequest = (path: string, body: string, ...headers: readonly string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/x-www-form-urlencoded",
    ...headers,
    "",
    body,
  ].join("\r\n");

/** A posted form's response, byte for byte. */
export function postRaw(
  url: string,
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new URLSearchParams(form).toString();
  const all = {
    Host: new URL(url).host,
    Connection: "close",
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendRaw(url, `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** Replaces the parts that differ between responses: the date, the request ID and the session. */
export function maskVaryingParts(response: string): string {
  return response
    .replace(/^(Date|X-Request-Id): .*\r$/gim, "$1: *\r")
    .replace(/session=[^;\r]+;/, "session=*;");
}
