import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ROOT, run } from "../package/installed.ts";
import { applyDiff, filesOn, installLines, readPage } from "./page.ts";

/** How a framework makes a new app. */
export interface Template {
  /** The packages of the program that makes it, each with the version that its lock file is for. */
  readonly packages: readonly string[];
  /** The program and its arguments, with NAME for the folder. */
  readonly command: readonly string[];
  /** `newest`: only `--newest` uses it, since its files come from GitHub, without a version. */
  readonly used?: "newest";
}

export interface FromTemplate {
  readonly name: string;
  readonly template: Template;
}

export type Age = "pinned" | "newest";

/** Makes a new app by its template, with the code that the page adds. Its packages are missing. */
export async function createApp(app: FromTemplate, parent: string, age: Age): Promise<string> {
  const { name, template } = app;
  const packages = template.packages.flatMap((one) => [
    "-p",
    age === "newest" ? one.replace(/(?<=.)@[^@]*$/, "@latest") : one,
  ]);
  const command = template.command.map((word) => (word === "NAME" ? name : word));
  await run(parent, "npx", "--yes", ...packages, ...command);
  const folder = join(parent, name);
  await addFiles(name, folder);
  for (const { file, only, kind, code } of filesOn(await readPage(name))) {
    if (only !== "" || kind === "whole") continue;
    const target = join(folder, file);
    await writeFile(target, applyDiff(await readFile(target, "utf8"), code));
  }
  return folder;
}

/** Adds the files that a page shows as a whole. */
export async function addFiles(page: string, folder: string): Promise<void> {
  for (const { file, kind, code } of filesOn(await readPage(page))) {
    if (kind === "diff") continue;
    const target = join(folder, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
}

/** Installs packages as the page says, with the packed library next to the app. */
export async function installAsShown(
  name: string,
  folder: string,
  ...flags: readonly string[]
): Promise<void> {
  for (const line of installLines(await readPage(name))) {
    const words = line.split(" ").map((word) => (word === "latchkey" ? "../latchkey.tgz" : word));
    const [program = "", ...args] = words;
    await run(folder, program, ...args, "--no-audit", ...flags);
  }
}

/** Copies what pins the packages of an app. */
export async function copyLock(name: string, folder: string): Promise<void> {
  for (const file of ["package.json", "package-lock.json"]) {
    await copyFile(join(ROOT, "examples", name, file), join(folder, file));
  }
}
