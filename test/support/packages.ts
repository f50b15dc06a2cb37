import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Installs the packages of a `package.json` and its lock file outside the project, in one cache
 * folder per lock file, and returns that folder. Tools with many packages stay out of `npm ci`.
 *
 * @param platforms With `any`, packages for other systems are installed too.
 */
export async function installPackages(
  from: string,
  name: string,
  platforms: "this" | "any" = "this",
): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const lock = await readFile(join(from, "package-lock.json"), "utf8");
  const digest = createHash("sha256").update(lock).digest("base64url").slice(0, 16);
  const folder = join(cache, name, digest);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    await cp(join(from, file), join(unfinished, file));
  }
  const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await npm(unfinished, ["ci", ...options, ...(platforms === "any" ? ["--force"] : [])]);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    // Another run may have installed it meanwhile.
    await rm(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

/** Runs the npm that started this program, with the same Node. */
async function npm(cwd: string, args: readonly string[]): Promise<void> {
  const started = process.env.npm_execpath;
  const run = promisify(execFile);
  if (started === undefined) await run("npm", args, { cwd });
  else await run(process.execPath, [started, ...args], { cwd });
}
