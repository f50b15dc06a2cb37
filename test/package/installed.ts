import { execFile } from "node:child_process";
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Frameworks are needed for types; Hono, an optional peer, also at run time. */
const LINKED = ["@types", "drizzle-orm", "express", "fastify", "hono"] as const;

/** Folders that are not copied with the checkout. */
const LEFT_BEHIND: readonly string[] = ["node_modules", ".git", "dist", "data"];

export interface Installed {
  /** The copy of the checkout that was packed. */
  readonly checkout: string;
  readonly tarball: string;
  /** A project with the tarball as its only run-time dependency. */
  readonly project: string;
}

/** A program that waits for the network, or for an answer, ends with an error. */
const LONGEST_MS = 10 * 60_000;

/** Runs a program with this project's Node first in PATH, as npm scripts do. */
export async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
  const env = { ...process.env, PATH };
  const { stdout } = await promisify(execFile)(program, args, { cwd, env, timeout: LONGEST_MS });
  return stdout;
}

/** What TypeScript reports about the files in a folder, by the rules of this project. */
export async function typeErrors(folder: string): Promise<string> {
  const compilerOptions = {
    ...{ types: ["node"], noUnusedLocals: false, declaration: false },
  };
  const config = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  return compile(folder);
}

/** What TypeScript reports about a folder, by its own configuration. */
export function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return run(folder, process.execPath, tsc, "-p", folder).catch(
    (error: { stdout?: string }) => error.stdout ?? String(error),
  );
}

/** Packs a copy of the checkout or of a workspace, so that the checkout's own `dist` is unchanged. */
export async function packCopy(
  dir: string,
  workspace: readonly string[] = [],
): Promise<Pick<Installed, "checkout" | "tarball">> {
  const checkout = join(dir, "checkout");
  await cp(ROOT, checkout, {
    recursive: true,
    filter: (path) => !LEFT_BEHIND.includes(basename(path)),
  });
  await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  await run(checkout, "npm", "pack", ...workspace, "--pack-destination", dir);
  const [name = ""] = (await readdir(dir)).filter((file) => file.endsWith(".tgz"));
  return { checkout, tarball: join(dir, name) };
}

/** Packs as `packCopy` does, and installs the tarball in a new project. */
export async function packAndInstall(
  dir: string,
  workspace: readonly string[] = [],
): Promise<Installed> {
  const { checkout, tarball } = await packCopy(dir, workspace);
  const project = join(dir, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "type": "module", "private": true }');
  await run(project, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund", tarball);
  for (const linked of LINKED) {
    await symlink(join(ROOT, "node_modules", linked), join(project, "node_modules", linked));
  }
  return { checkout, tarball, project };
}
