import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Account } from "./postgres-binaries.ts";

/** English messages, without the caller's `PG…` variables. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? "",
  LC_ALL: "C",
  TZ: "UTC",
};

/** Runs a program until it ends, in a folder that the account can enter. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  account: Account,
): Promise<string> {
  const options = { cwd, env: ENVIRONMENT, timeout: 30_000, ...account };
  const { stdout } = await promisify(execFile)(program, [...args], options);
  return stdout;
}
