import { execFile } from "node:child_process";
import { access, cp, mkdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { digestOf, ROOT } from "./files.ts";

interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
  /** Set if the mutant must not be tested. */
  readonly status?: string;
}

export interface Source {
  readonly name: string;
  readonly content: string;
}

export interface Instrumented {
  readonly files: readonly Source[];
  readonly mutants: readonly Mutant[];
}

/** The part of Stryker's API that is used. */
interface Instrumenter {
  instrument(files: readonly object[], options: object): Promise<Instrumented>;
}

const PACKAGES = join(ROOT, "proof/mutation/packages");
const SILENT = new Proxy({}, { get: () => () => false });

/** Puts all mutants into the code at once. An environment variable activates one by its ID. */
export async function instrument(sources: readonly Source[]): Promise<Instrumented> {
  const path = "node_modules/@stryker-mutator/instrumenter/dist/src/index.js";
  const stryker: { Instrumenter: new (log: object) => Instrumenter } = await import(
    pathToFileURL(join(await installed(), path)).href
  );
  return await new stryker.Instrumenter(SILENT).instrument(
    sources.map((source) => ({ ...source, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
}

/** Installs Stryker outside the project, in one cache folder per lock file. */
async function installed(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const lock = await readFile(join(PACKAGES, "package-lock.json"), "utf8");
  const folder = join(cache, "latchkey-mutation", digestOf(lock));
  if (await exists(folder)) return folder;
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  await cp(PACKAGES, unfinished, { recursive: true });
  await npm(unfinished, ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    // Another run may have installed it meanwhile.
    await rm(unfinished, { recursive: true });
    if (!(await exists(folder))) throw error;
  });
  return folder;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Runs the npm that started this program, with the same Node. */
async function npm(cwd: string, args: readonly string[]): Promise<void> {
  const started = process.env.npm_execpath;
  const run = promisify(execFile);
  if (started === undefined) await run("npm", args, { cwd });
  else await run(process.execPath, [started, ...args], { cwd });
}
