import assert from "node:assert/strict";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { tempDir } from "../support/temp-dir.ts";
import { runTool } from "./tool.ts";

/** The report of slowhttptest. */
export interface SlowEnd {
  /** Whether it ended because all its connections were closed. */
  readonly allClosed: boolean;
  /** The connections still open in its last second. */
  readonly connected: number;
  /** Whether the server responded to its probe in every second. */
  readonly available: boolean;
}

export interface SlowRun {
  readonly url: string;
  readonly args: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export async function runSlowly(
  t: TestContext,
  program: string,
  { url, args, connections, seconds }: SlowRun,
): Promise<SlowEnd> {
  const folder = await tempDir(t);
  const size = ["-c", String(connections), "-r", String(connections), "-l", String(seconds)];
  const { output } = await runTool(
    t,
    program,
    ["-u", url, ...args, ...size, "-p", "2", "-g", "-o", join(folder, "report")],
    { folder, withinMs: 60_000 },
  );
  assert.match(output, /Test ended on/);
  const allClosed = output.includes("No open connections left");
  return { allClosed, ...seenIn(await readFile(join(folder, "report.csv"), "utf8")) };
}

function seenIn(table: string): Pick<SlowEnd, "connected" | "available"> {
  const [, ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
  const connected = rows.at(-1)?.[3] ?? 0;
  return { connected, available: rows.every(([, , , , answers]) => answers !== 0) };
}

/** The number of open sockets of a process, including listening ones. Linux only. */
export async function socketsOf(pid: number | undefined): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => ""));
  return (await Promise.all(links)).filter((link) => link.startsWith("socket:")).length;
}
