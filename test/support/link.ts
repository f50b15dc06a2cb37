import assert from "node:assert/strict";
import { runCommand } from "./command.ts";
import type { RunningGate } from "./gate.ts";

/** Makes a one-time link with a command, such as `invite`, and returns its path. */
export async function linkPath(
  { dataDir }: Pick<RunningGate, "dataDir">,
  ...args: readonly string[]
): Promise<string> {
  const env = { DATA_DIR: dataDir, PUBLIC_URL: "https://auth.example.test" };
  const { code, stdout, stderr } = await runCommand(["link", ...args], { env });
  assert.equal(code, 0, stderr);
  return new URL(stdout.trim()).pathname;
}
