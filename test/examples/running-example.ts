import { copyFile, mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { SECRET } from "../support/gate.ts";
import { type Running, startNode } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Creates a folder that contains these packages and no others. */
export async function folderWith(t: TestContext, packages: readonly string[]): Promise<string> {
  const dir = await tempDir(t);
  for (const name of packages) {
    const link = join(dir, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(name === "latchkey" ? ROOT : join(ROOT, "node_modules", name), link);
  }
  return dir;
}

/** Runs an example in its own project, with only the packages that it lists. */
export async function runExample(
  t: TestContext,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<Running & { readonly databaseFile: string }> {
  const example = join(ROOT, "examples", name);
  const { dependencies } = JSON.parse(await readFile(join(example, "package.json"), "utf8"));
  const dir = await folderWith(t, Object.keys(dependencies));
  for (const file of ["app.ts", "package.json"]) {
    await copyFile(join(example, file), join(dir, file));
  }
  const dataDir = join(dir, "data");
  const whole = { PORT: "0", DATA_DIR: dataDir, ...env };
  const running = startNode(t, ["--conditions=latchkey-source", "app.ts"], whole, dir);
  return { ...running, databaseFile: join(dataDir, "accounts.db") };
}

export async function startExample(
  t: TestContext,
  name: string,
): Promise<Running & { readonly url: string; readonly databaseFile: string }> {
  const running = await runExample(t, name, { AUTH_SECRET: SECRET });
  const [, url = ""] = await running.shows(/^Notes at (http:\/\/127\.0\.0\.1:\d+)\n/);
  return { ...running, url };
}
