import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../support/temp-dir.ts";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Creates a folder of ES modules that contains these packages and no others. */
export async function folderWith(t: TestContext, packages: readonly string[]): Promise<string> {
  const dir = await tempDir(t);
  await writeFile(join(dir, "package.json"), '{ "type": "module" }');
  for (const name of packages) {
    const link = join(dir, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(name === "latchkey" ? ROOT : join(ROOT, "node_modules", name), link);
  }
  return dir;
}

export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
