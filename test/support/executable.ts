import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { nodeVersion } from "../../scripts/release/executable.ts";
import { entries } from "../../src/gate/settings/table.ts";
import { installPackages } from "./packages.ts";

/**
 * Names the folder of an executable, made by `furnishRoot`: `startGate` then runs it there instead
 * of the gate of the checkout. `TMPDIR` must be the folder's `tmp`.
 */
export const EXECUTABLE_ROOT = "LATCHKEY_TEST_ROOT";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The Node.js that builds executables and is in them. The tests also run on older ones. */
export async function executableNode(): Promise<string> {
  if (process.versions.node === nodeVersion()) return process.execPath;
  const from = join(ROOT, "scripts/release/packages");
  const packages = await installPackages(from, "latchkey-release", "any");
  return join(packages, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
}

type ServerLogLine = Readonly<Record<string, unknown>>;

/** Starts the executable in its root folder, until the test ends. */
export async function startExecutable(
  t: TestContext,
  root: string,
  given: Readonly<Record<string, string>>,
): Promise<{
  readonly url: string;
  readonly httpsUrl: string | undefined;
  readonly serverLog: readonly ServerLogLine[];
  stop(): Promise<void>;
}> {
  const inRoot = Object.entries(given).map(([name, value]) => [name, value.replaceAll(root, "")]);
  const child = spawn("chroot", [root, "/latchkey", "serve"], {
    env: { PATH: process.env.PATH ?? "", ...Object.fromEntries(inRoot) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  t.after(stop);
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const serverLog: ServerLogLine[] = [];
  const listening = new Promise<ServerLogLine>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const entry: ServerLogLine = JSON.parse(line);
      serverLog.push(entry);
      if (/^Latchkey listens on /.test(String(entry.msg))) resolve(entry);
    });
    ended.then(() => reject(new Error(`the executable ended: ${complaints}`)));
  });
  const { url, httpsUrl } = await listening;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { url: String(url), httpsUrl: text(httpsUrl), serverLog, stop };
}

/** The environment variables of these settings. */
export function environmentOf(settings: object): Readonly<Record<string, string>> {
  const names = new Map(entries.map(([field, { name }]) => [String(field), name]));
  return Object.fromEntries(
    Object.entries(settings).flatMap(([field, value]) => {
      const name = names.get(field);
      return name === undefined || value === undefined ? [] : [[name, String(value)]];
    }),
  );
}
