import { writeSync } from "node:fs";
import { styleText } from "node:util";
import type { AdapterParts } from "../auth.ts";
import { codeOf } from "../core/base/fault.ts";
import type { ServerLog } from "../core/base/server-log.ts";
import { printable } from "../files/printable.ts";
import { pathsUnder, routeOf } from "../web/paths.ts";
import { nodeRequest } from "../web/request/node-request.ts";
import { REQUEST_ID } from "../web/request/request-id.ts";
import { type Handle, wasSent } from "./handle.ts";
import { type LogLevel, logLevels } from "./settings/table.ts";

/** The server log of the gate. An error in the field `err` is logged with its stack. */
export interface GateLog extends ServerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** A stream with a file descriptor, or any other stream. */
interface LogOutput {
  readonly fd?: number;
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** JSON lines, or readable lines on a terminal. */
export function createServerLog(least: LogLevel, out: LogOutput): GateLog {
  const { fd, isTTY } = out;
  const writeWhole = fd === undefined ? undefined : lineWriter(fd);
  const at =
    (level: LogLevel) =>
    (fields: object, message: string): void => {
      if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
      const line = lineOf(level, fields, message);
      if (isTTY === true) out.write(readableLine(line));
      else if (writeWhole === undefined) out.write(line);
      else writeWhole(line);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Characters of a text in a line, such as a stack or a path, which a client can make 16 KB long. */
const MAX_TEXT = 4_000;

function lineOf(level: LogLevel, fields: object, msg: string): string {
  const time = new Date().toISOString();
  const asJson = (_key: string, value: unknown): unknown => {
    if (typeof value === "string" && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}…`;
    return value instanceof Error
      ? { type: value.name, message: value.message, code: codeOf(value), stack: value.stack }
      : value;
  };
  return `${JSON.stringify({ level, time, ...fields, msg }, asJson)}\n`;
}

const RETRY_AFTER_MS = 5;
/** Nothing notifies it, so waiting for it is a pause. */
const never = new Int32Array(new SharedArrayBuffer(4));

/** How long a reader that is too slow may hold up the gate. A line that needs no wait earns a pause. */
const MAX_WAIT_MS = 500;

/**
 * Returns what writes a line, synchronously, so that an exit loses nothing. While the reader takes
 * nothing, lines are dropped, and their number is written before the next one. A log that cannot be
 * written, such as to a closed pipe or a full disk, does not end the gate.
 */
function lineWriter(fd: number): (line: string) => void {
  let [leftMs, dropped] = [MAX_WAIT_MS, 0];
  /** Of a line that is written in part, so that the next one does not begin in it. */
  let rest = Buffer.alloc(0);

  function writeRest(): void {
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if (codeOf(error) !== "EAGAIN") rest = Buffer.alloc(0);
        else if (leftMs <= 0) return;
        else Atomics.wait(never, 0, 0, RETRY_AFTER_MS);
        leftMs -= RETRY_AFTER_MS;
      }
    }
  }

  return (line) => {
    const before = leftMs;
    writeRest();
    if (rest.length === 0) {
      const whole = Buffer.from(dropped === 0 ? line : lineOf("warn", { dropped }, DROPPED) + line);
      rest = whole;
      writeRest();
      if (rest !== whole) {
        if (leftMs === before) leftMs = Math.min(leftMs + RETRY_AFTER_MS, MAX_WAIT_MS);
        dropped = 0;
        return;
      }
      rest = Buffer.alloc(0);
    }
    dropped += 1;
  };
}

const DROPPED = "lines of the log dropped: nothing took them";

const COLORS = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;

/** A JSON line in readable form. */
function readableLine(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line);
  const color = COLORS[level as keyof typeof COLORS] ?? "red";
  const details = Object.entries(rest)
    // Already in the message that the gate listens.
    .filter(([key, value]) => key !== "url" || !msg.endsWith(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const parts = [msg, ...details].map((part) => printable(String(part)));
  if (err !== undefined) parts.push(String(err.stack).split("\n").map(printable).join("\n"));
  return `${time.slice(11, 19)} ${styleText(color, level.toUpperCase().padEnd(5))} ${parts.join(" ")}\n`;
}

const paths = pathsUnder("");

/** Logs each request without its sender, its query and the token of a one-time link. */
export function loggingRequests(
  handle: Handle,
  withRequestId: AdapterParts["withRequestId"],
  monotonic: () => number,
  log: GateLog,
): Handle {
  return (incoming, outgoing) => {
    const start = monotonic();
    const request = nodeRequest(incoming);
    withRequestId(request, (requestId) => {
      outgoing.setHeader(REQUEST_ID, requestId);
      outgoing.once("close", () => {
        const { method } = request;
        const path = routeOf(paths, request.path);
        const status = outgoing.statusCode;
        const ms = Math.round((monotonic() - start) * 10) / 10;
        const message = wasSent(outgoing) ? "request" : "request aborted";
        log.debug({ method, path, status, ms, requestId }, message);
      });
      handle(incoming, outgoing);
    });
  };
}
