import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { foundProgram } from "../proxies/program.ts";
import { eventually } from "../support/eventually.ts";

/** Servers run as this user if the tests run as root, which some of them refuse. */
const NOBODY = 65_534;

export const AS_NOBODY: Readonly<{ uid?: number; gid?: number }> =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Finds a program of the system. A test that needs it cannot pass without it. */
export function requireProgram(name: string, debianPackage: string): string {
  const program = foundProgram(name);
  assert.ok(program, `${name} is missing: apt-get install ${debianPackage}`);
  return program;
}

/** Requires a file of a package of the system. */
export function requireFile(file: string, debianPackage: string): string {
  assert.ok(existsSync(file), `${file} is missing: apt-get install ${debianPackage}`);
  return file;
}

/** Gives a folder and all in it to the user as which the servers run. */
export async function giveAway(folder: string): Promise<void> {
  const { uid, gid } = AS_NOBODY;
  if (uid === undefined || gid === undefined) return;
  const entries = await readdir(folder, { recursive: true });
  for (const path of [folder, ...entries.map((entry) => join(folder, entry))])
    await chown(path, uid, gid);
}

export interface Serving {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Files whose text explains why it has ended. */
  readonly logs?: readonly string[];
}

/** Runs a server in the foreground until the test ends. Resolves once it accepts connections. */
export async function serveProgram(
  t: TestContext,
  program: string,
  { args, cwd, port, env, logs = [] }: Serving,
): Promise<void> {
  const child = spawn(program, args, {
    ...AS_NOBODY,
    // Apache ends its whole process group, to which the PostgreSQL of other tests would belong.
    detached: true,
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (text: string): void => {
    output += text;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await eventually(async () => {
    if (child.exitCode !== null) {
      const texts = await Promise.all(logs.map((file) => readFile(file, "utf8").catch(() => "")));
      throw new Error(`${program} has ended: ${[output, ...texts].join("\n")}`);
    }
    return (await accepts(port)) || undefined;
  }, 30_000);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
