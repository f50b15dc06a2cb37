import { statSync } from "node:fs";

/**
 * The user to give a new file to, or `undefined` for none. A command that runs as root gives what it
 * makes to the owner of the folder, as whom the gate runs. Other users cannot give files away.
 */
export function folderOwner(folder: string): { uid: number; gid: number } | undefined {
  return process.geteuid?.() === 0 ? statSync(folder) : undefined;
}
