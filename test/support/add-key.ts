import { outputOf } from "./command.ts";
import type { RunningGate } from "./gate.ts";

/** Makes a key of the owner by the command, beside the running gate, and returns its text. */
export async function addKey(
  { dataDir }: Pick<RunningGate, "dataDir">,
  ...options: readonly string[]
): Promise<string> {
  const args = ["key", "add", "test", "--user", "owner", ...options];
  return (await outputOf(args, { env: { DATA_DIR: dataDir } })).trim();
}
