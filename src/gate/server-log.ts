import { styleText } from "node:util";
import { type Logger, pino } from "pino";
import type { AdapterParts } from "../auth.ts";
import { nodeRequest } from "../web/request/node-request.ts";
import { REQUEST_ID } from "../web/request/request-id.ts";
import { type Handle, wasSent } from "./listener.ts";
import { printable } from "./printable.ts";

export type GateLog = Logger;

/** A stream with a file descriptor, or any other stream. */
interface LogOutput {
  readonly fd?: number;
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** JSON lines, or readable lines on a terminal. Synchronous, so that an exit loses nothing. */
export function createServerLog(level: string, out: LogOutput): GateLog {
  const format = out.isTTY === true ? readableLine : (line: string): string => line;
  const destination =
    out.isTTY === true || out.fd === undefined
      ? { write: (line: string) => out.write(format(line)) }
      : pino.destination({ dest: out.fd, sync: true });
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

const COLORS = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;

/** A JSON line in readable form. Exported for its tests. */
export function readableLine(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line);
  const color = COLORS[level as keyof typeof COLORS] ?? "red";
  const details = Object.entries(rest)
    // Already in the message that the gate listens.
    .filter(([key, value]) => key !== "url" || !msg.endsWith(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const parts = [msg, ...details].map((part) => printable(String(part)));
  if (err !== undefined) parts.push(printable(String(err.stack ?? err.message), "keep-newlines"));
  return `${time.slice(11, 19)} ${styleText(color, level.toUpperCase().padEnd(5))} ${parts.join(" ")}\n`;
}

/** Logs each request, without its query, which may contain a token, and without its sender. */
export function loggingRequests(
  handle: Handle,
  withRequestId: AdapterParts["withRequestId"],
  milliseconds: () => number,
  log: GateLog,
): Handle {
  return (incoming, outgoing) => {
    const start = milliseconds();
    const request = nodeRequest(incoming);
    withRequestId(request, (requestId) => {
      outgoing.setHeader(REQUEST_ID, requestId);
      outgoing.once("close", () => {
        const { method, path } = request;
        const status = outgoing.statusCode;
        const ms = Math.round((milliseconds() - start) * 10) / 10;
        const message = wasSent(outgoing) ? "request" : "request aborted";
        log.debug({ method, path, status, ms, requestId }, message);
      });
      handle(incoming, outgoing);
    });
  };
}
