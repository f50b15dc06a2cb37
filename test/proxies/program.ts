import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../support/eventually.ts";

/** Where servers are installed, which is not on everybody's path. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

/**
 * Registers the tests of a program where this machine has it. Where it does not, one test says
 * so: it passes on somebody's own machine and fails in continuous integration.
 */
export function whereInstalled(name: string, register: (program: string) => void): void {
  const program = foundProgram(name);
  if (program !== undefined) {
    register(program);
    return;
  }
  test(`${name} is not on this machine: its rules were not tested`, () => {
    assert.ok(!process.env.CI, `${name} has to be installed where CI is set`);
  });
}

function foundProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Starting {
  readonly configuration: string;
  readonly args: (configurationFile: string, folder: string) => readonly string[];
  readonly address: { readonly host: string; readonly port: number };
  readonly env?: Readonly<Record<string, string>>;
  /** Further files in its folder, by name. */
  readonly beside?: Readonly<Record<string, string>>;
}

/**
 * Starts a server that stays in the foreground, and answers once it takes connections. All that it
 * writes is in one folder, which goes after it has ended.
 */
export async function startProgram(
  t: TestContext,
  program: string,
  { configuration, args, address, env, beside = {} }: Starting,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-proxy-"));
  const file = join(folder, "configuration");
  await writeFile(file, configuration);
  for (const [name, text] of Object.entries(beside)) await writeFile(join(folder, name), text);
  const child = spawn(program, args(file, folder), {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`);
    return (await takesConnections(address)) ? true : undefined;
  });
}

async function takesConnections(address: Starting["address"]): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
