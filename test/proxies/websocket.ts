import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { CLIENT, PROXY_HOST } from "./site.ts";

/** The constant of RFC 6455 that proves that the server understood the handshake. */
const KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const MASK_BYTES = 4;

/** Accepts the upgrade, to any protocol that the client asks for, and returns each short text. */
export function echoTexts({ headers }: IncomingMessage, socket: Duplex): void {
  const key = headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1").update(`${key}${KEY_SUFFIX}`).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${headers.upgrade}\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on("data", (frame: Buffer) => socket.write(textFrame(unmasked(frame))));
  socket.on("error", () => socket.destroy());
  socket.on("end", () => socket.end());
}

export interface Upgrade {
  readonly status: number;
  /** What the other side returned for the text, if it accepted the upgrade. */
  readonly echo: string | undefined;
}

/** Opens a WebSocket, sends one text, and waits for the answer. */
export async function sendText(
  url: string,
  text: string,
  headers: Readonly<Record<string, string | string[]>> = {},
): Promise<Upgrade> {
  const { status, socket } = await openSocket(url, headers);
  const echo = socket && (await echoOf(socket, text));
  socket?.destroy();
  return { status, echo };
}

/** Sends a text over an open WebSocket and waits for what the other side returns. */
export async function echoOf(socket: Duplex, text: string): Promise<string> {
  socket.write(textFrame(text, randomBytes(MASK_BYTES)));
  const [frame = Buffer.of()]: readonly Buffer[] = await once(socket, "data");
  return frame.subarray(2).toString("utf8");
}

/** Asks for an upgrade as a browser does. Without a socket if the other side refuses it. */
export async function openSocket(
  url: string,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<{ readonly status: number; readonly socket: Duplex | undefined }> {
  const { host, port, pathname } = new URL(url);
  const key = randomBytes(16).toString("base64");
  const outgoing = request({
    host: PROXY_HOST,
    port,
    path: pathname,
    localAddress: CLIENT,
    agent: false,
    headers: {
      Host: host,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": key,
      ...headers,
    },
  }).end();
  return new Promise((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, socket: undefined });
    });
    outgoing.on("upgrade", (answer, socket) => {
      resolve({ status: answer.statusCode ?? 0, socket });
    });
  });
}

/** One final text frame of at most 125 bytes; clients have to mask theirs. */
function textFrame(text: string, mask?: Buffer): Buffer {
  const payload = Buffer.from(text);
  if (mask === undefined) return Buffer.from([0x81, payload.length, ...payload]);
  return Buffer.from([0x81, 0x80 | payload.length, ...mask, ...masked(payload, mask)]);
}

function unmasked(frame: Buffer): string {
  const mask = frame.subarray(2, 2 + MASK_BYTES);
  return masked(frame.subarray(2 + MASK_BYTES), mask).toString("utf8");
}

const masked = (payload: Buffer, mask: Buffer): Buffer =>
  Buffer.from(payload.map((byte, at) => byte ^ (mask[at % MASK_BYTES] ?? 0)));
