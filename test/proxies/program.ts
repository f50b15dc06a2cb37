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

/** Folders of server programs that are not always in PATH. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

/**
 * Registers the tests of a program if it is installed. Otherwise one test reports that it is
 * missing: the test passes on a developer's machine and fails in continuous integration.
 */
export function whereInstalled(name: string, register: (program: string) => void): void {
  const program = foundProgram(name);
  if (program !== undefined) register(program);
  else reportSkipped(`${name} is not installed`);
}

/** For tests that this machine cannot run. Fails in continuous integration. */
export function reportSkipped(reason: string): void {
  test(`${reason}: its tests were skipped`, () => {
    assert.ok(!process.env.CI, `${reason}, although CI is set`);
  });
}

export function foundProgram(name: string): string | undefined {
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
  /** Additional files in its folder, by name. */
  readonly beside?: Readonly<Record<string, string>>;
}

/**
 * Starts a server in the foreground and resolves once it accepts connections. Its files are in one
 * folder, which is removed after it has ended.
 */
export async function startProgram(
  t: Pick<TestContext, "after">,
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
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(child, "close");
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    return (await acceptsConnections(address)) ? true : undefined;
  });
}

async function acceptsConnections(address: Starting["address"]): Promise<boolean> {
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
