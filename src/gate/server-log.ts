import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { styleText } from "node:util";
import type { AdapterParts } from "../auth.ts";
import { nodeRequest } from "../http/node-request.ts";
import { getRoutePath, pathsUnder } from "../http/paths.ts";
import { REQUEST_ID } from "../http/request-id.ts";
import { getErrorCode } from "../lib/fault.ts";
import { toPrintable } from "../lib/files/printable.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { type Handler, wasSent } from "./create-handler.ts";
import { type LogLevel, logLevels } from "./settings/table.ts";

/** Logs for the gate. An error in the field `err` is logged with its stack. */
export interface GateLog extends ServerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Describes Node's stream for a file descriptor, or any other stream. */
interface LogOutput {
  readonly fd?: number;
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Describes Node's undocumented handle behind the stream of a pipe, socket or terminal. */
interface WithHandle {
  readonly _handle?: { readonly fd?: number; setBlocking?(blocking: boolean): unknown } | null;
}

export interface OutputLog extends GateLog {
  /** Resolves once the waiting lines are written, or have waited too long for their reader. */
  finish(): Promise<void>;
}

/** Creates a log that writes JSON lines, or readable lines on a terminal. */
export function createServerLog(least: LogLevel, out: LogOutput & WithHandle): OutputLog {
  const shown = (line: string): string => (out.isTTY === true ? formatReadableLine(line) : line);
  const writer = out.fd === undefined ? undefined : createLineWriter(out, out.fd, shown);
  const at =
    (level: LogLevel) =>
    (fields: object, message: string): void => {
      if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
      const line = formatJsonLine(level, fields, message);
      if (writer === undefined) out.write(shown(line));
      else writer.write(line);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    finish: async () => writer?.finish(),
  };
}

/** Limits the characters of a text in a line. A client can make a stack or a path 16 KB long. */
const MAX_TEXT = 4_000;

function formatJsonLine(level: LogLevel, fields: object, msg: string): string {
  const time = new Date().toISOString();
  const toJsonValue = (_key: string, value: unknown): unknown => {
    if (typeof value === "string" && value.length > MAX_TEXT) return `${value.slice(0, MAX_TEXT)}…`;
    return value instanceof Error
      ? { type: value.name, message: value.message, code: getErrorCode(value), stack: value.stack }
      : value;
  };
  return `${JSON.stringify({ level, time, ...fields, msg }, toJsonValue)}\n`;
}

const RETRY_AFTER_MS = 50;

/** Limits the bytes of lines that wait for a slow reader. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** The process waits up to half a second for a slow reader before it ends. */
const FINISH_TRIES = 10;

/** Contains a line, or the rest of it. `count` is the number of lines that are lost with it. */
interface WaitingLine {
  readonly bytes: Buffer;
  readonly count: number;
}

/**
 * Writes a line at once if the reader accepts it, so that an exit loses nothing. It never waits,
 * since a held terminal or a full pipe must not stop the gate. Up to a limit, lines wait in memory.
 * Further lines are dropped, and their number is written when there is room again.
 */
function createLineWriter(out: WithHandle, fd: number, shown: (line: string) => string) {
  let waiting: WaitingLine[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let isRetrying = false;

  const isFull = (): boolean => waitingBytes >= MAX_WAITING_BYTES;

  const add = (line: string, count: number): void => {
    const bytes = Buffer.from(shown(line));
    waiting.push({ bytes, count });
    waitingBytes += bytes.length;
  };

  const addDropped = (): void => {
    if (dropped > 0) add(formatJsonLine("warn", { dropped }, DROPPED), dropped);
    dropped = 0;
  };

  function writeWaiting(): void {
    const handle = out._handle;
    // This is repeated, because a child process with the same pipe makes the pipe blocking again.
    handle?.setBlocking?.(false);
    // Node.js opens a separate descriptor for a terminal.
    const target = handle?.fd !== undefined && handle.fd >= 0 ? handle.fd : fd;
    for (let [line] = waiting; line !== undefined; [line] = waiting) {
      const { bytes } = line;
      const written = writeSync(target, bytes);
      waitingBytes -= written;
      if (written === bytes.length) waiting.shift();
      // This line must be completed before another line begins.
      else waiting[0] = { bytes: bytes.subarray(written), count: 0 };
    }
  }

  /** Returns whether another attempt can help soon. A failing log does not end the gate. */
  function tryToWrite(): boolean {
    try {
      writeWaiting();
      addDropped();
      writeWaiting();
      return false;
    } catch (error) {
      if (getErrorCode(error) === "EAGAIN") return true;
      // The pipe is closed, or the disk is full.
      dropped += waiting.reduce((sum, { count }) => sum + count, 0);
      waiting = waiting.filter(({ count }) => count === 0);
      waitingBytes = waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return false;
    }
  }

  function tryLater(): void {
    if (isRetrying) return;
    isRetrying = true;
    setTimeout(() => {
      isRetrying = false;
      if (tryToWrite()) tryLater();
    }, RETRY_AFTER_MS).unref();
  }

  return {
    write(line: string): void {
      if (isFull()) tryToWrite();
      if (isFull()) {
        dropped += 1;
      } else {
        addDropped();
        add(line, 1);
      }
      if (tryToWrite()) tryLater();
    },
    async finish(): Promise<void> {
      for (let left = FINISH_TRIES; tryToWrite() && left > 0; left -= 1) {
        await sleep(RETRY_AFTER_MS);
      }
    },
  };
}

const DROPPED = "lines of the log dropped: nothing took them";

const COLORS = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;

/** Formats a JSON line in readable form. */
function formatReadableLine(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line);
  const color = COLORS[level as keyof typeof COLORS] ?? "red";
  const details = Object.entries(rest)
    // The message that the gate listens already contains the URL.
    .filter(([key, value]) => key !== "url" || !msg.endsWith(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const parts = [msg, ...details].map((part) => toPrintable(String(part)));
  if (err !== undefined) parts.push(String(err.stack).split("\n").map(toPrintable).join("\n"));
  return `${time.slice(11, 19)} ${styleText(color, level.toUpperCase().padEnd(5))} ${parts.join(" ")}\n`;
}

const paths = pathsUnder("");

/** Logs each request without the client's address, the query and the token of a one-time link. */
export function logRequests(
  handle: Handler,
  withRequestId: AdapterParts["withRequestId"],
  monotonic: () => number,
  log: GateLog,
): Handler {
  return (incoming, outgoing) => {
    const start = monotonic();
    const request = nodeRequest(incoming);
    withRequestId(request, (requestId) => {
      outgoing.setHeader(REQUEST_ID, requestId);
      outgoing.once("close", () => {
        const { method } = request;
        const path = getRoutePath(paths, request.path);
        const status = outgoing.statusCode;
        const ms = Math.round((monotonic() - start) * 10) / 10;
        const message = wasSent(outgoing) ? "request" : "request aborted";
        log.debug({ method, path, status, ms, requestId }, message);
      });
      handle(incoming, outgoing);
    });
  };
}
