import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { handOver } from "./hand-over.ts";

/**
 * Replaces a file in one step: a reader sees the old content or the new one, never half, and after a
 * crash it is one of the two. For its owner alone; where the folder is gone, this fails.
 */
export async function writeWhole(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await rm(unfinished, { force: true });
    await writeNew(unfinished, content);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Never through what somebody has put there. */
async function writeNew(path: string, content: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await handOver(file, path);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}
