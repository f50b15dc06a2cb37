import { styleText } from "node:util";
import { type Logger, pino } from "pino";
import { printable } from "./printable.ts";

export type GateLog = Logger;

/** A stream with a file descriptor, or any other stream. */
interface LogOutput {
  readonly fd?: number;
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** JSON lines, or on a terminal lines for people. Written at once, so that an exit loses nothing. */
export function createServerLog(level: string, out: LogOutput): GateLog {
  const format = out.isTTY === true ? forPeople : (line: string): string => line;
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

const COLOURS = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;

/** Exported for its tests: one JSON line as a line for people. */
export function forPeople(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line);
  const colour = COLOURS[level as keyof typeof COLOURS] ?? "red";
  const details = Object.entries(rest)
    // Already in the message that the gate listens.
    .filter(([key, value]) => key !== "url" || !msg.endsWith(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const parts = [msg, ...details].map((part) => printable(String(part)));
  if (err !== undefined) parts.push(printable(String(err.stack ?? err.message), "keep-newlines"));
  return `${time.slice(11, 19)} ${styleText(colour, level.toUpperCase().padEnd(5))} ${parts.join(" ")}\n`;
}
