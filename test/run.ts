/**
 * Runs the tests, a process for each folder of `test/` and each long file, and shows their time.
 * `short`, the default, runs `*.test.ts`; `rest` runs `*.full.test.ts`, the long ones and those that need programs
 * which npm does not bring; `full` runs both; `proof` runs `*.proof.test.ts`, which take minutes and
 * are part of `npm run proof`. Names of folders or files after that select these alone. `check` checks
 * types, format and the direction of imports instead.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Counts } from "./support/counts.ts";
import { hashFlags, hasRealHashes } from "./support/hash-flags.ts";
import { openPostgres } from "./support/postgres.ts";
import { SHARED_POSTGRES } from "./support/postgres-shared.ts";

/** A folder whose tests hang is ended, so that the others are still reported. */
const FOLDER_TIMEOUT_MS = 900_000;
const TEST_TIMEOUT_MS = 300_000;
/** These take longest, and so start first. */
const LONGEST: readonly string[] = `test/site test/tools/sqlmap test/tools/slowhttptest test/browser
  test/proxies test/clients test/apps test/tools test/spec test/oidc test/features test/cli packages/attack/test/gates packages/attack/test/command
  test/package test/db test/identity test/http test/proof packages/attack/test test/hashes`.split(
  /\s+/,
);
/** Each of these files takes long and mostly waits, so it has a process of its own. */
const LONG_FILES = /^(test\/tools|packages\/attack\/test)\/.*(?=\.(full|proof)\.test\.ts$)/;
const REAL = "test/hashes";
/** Measures time, and so runs when nothing else runs. */
const ALONE = "test/timing";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const COUNTS = fileURLToPath(new URL("support/counts.ts", import.meta.url));

/** Compiling the sources takes three quarters of the time in which a gate starts. */
const COMPILED = join(ROOT, "node_modules/.cache/latchkey-compiled");

interface Folder {
  readonly name: string;
  readonly files: readonly string[];
}

type Layer = "short" | "rest" | "proof";
const LAYERS: Readonly<Record<string, readonly Layer[]>> = {
  short: ["short"],
  rest: ["rest"],
  full: ["short", "rest"],
  proof: ["proof"],
};

const CHECK = "check";
const CHECKS = [
  ["node_modules/typescript/bin/tsc", "--noEmit"],
  ["node_modules/typescript/bin/tsc", "-p", "tsconfig.pages.json"],
  ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."],
  ["--test", "test/imports.test.ts"],
] as const;

const given = process.argv.slice(2);
const [first = ""] = given;
if (first === CHECK) {
  for (const args of CHECKS) {
    const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
  process.exit();
}
const isLayer = Object.hasOwn(LAYERS, first);
const layers = (isLayer ? LAYERS[first] : undefined) ?? ["short"];
const named = isLayer ? given.slice(1) : given;
const missingNames = named.filter((name) => !existsSync(join(ROOT, name)));
if (missingNames.length > 0) {
  print(
    `There is no ${missingNames.join(" ")}. Name files or folders of test, or one of these first:`,
  );
  print(`${Object.keys(LAYERS).join(", ")}, ${CHECK}`);
  process.exit(2);
}

const startedAt = performance.now();
const results = await mkdtemp(join(tmpdir(), "latchkey-results-"));
const postgres = await openPostgres({}, "memory");
const total = { tests: 0, skipped: 0, failed: 0 };
const missing = new Set<string>();
try {
  const folders = (await Promise.all(layers.map(foldersOf))).flat();
  const waiting = folders.filter(({ name }) => name !== ALONE).values();
  const runWaiting = async (): Promise<void> => {
    for (const folder of waiting) await runFolder(folder);
  };
  // More than there are cores, since many tests wait.
  await Promise.all(Array.from({ length: availableParallelism() + 2 }, runWaiting));
  for (const folder of folders.filter(({ name }) => name === ALONE)) await runFolder(folder);
} finally {
  await postgres.close();
  await rm(results, { recursive: true, force: true });
}
const wall = `${seconds(performance.now() - startedAt)} s`;
const cpu = await cpuTimeOfChildren();
if (missing.size > 0)
  print(`\nNot installed, so some tests were left out: ${[...missing].join(", ")}`);
print(
  `\n${total.tests} tests, ${total.failed} failed, ${total.skipped} skipped; ${wall}${
    cpu === undefined ? "" : `, ${seconds(cpu)} s of CPU time`
  }`,
);
if (total.failed > 0 || total.tests === 0) process.exitCode = 1;

/** Each folder below `test/` with its test files, or those that are named. */
async function foldersOf(layer: Layer): Promise<readonly Folder[]> {
  const patterns = ["test/**/*.test.ts", "packages/attack/test/**/*.test.ts"];
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: ROOT })) {
    const isNamed = named.length === 0 || named.some((one) => file.startsWith(one));
    if (isNamed && layerOf(file) === layer) files.push(file);
  }
  const byFolder = Object.groupBy(files, folderOf);
  return Object.entries(byFolder)
    .map(([name, list = []]) => ({ name, files: list.sort() }))
    .sort((one, other) => rankOf(one) - rankOf(other));
}

function layerOf(file: string): Layer {
  if (file.endsWith(".proof.test.ts")) return "proof";
  return file.endsWith(".full.test.ts") ? "rest" : "short";
}

function rankOf({ name }: Folder): number {
  const rank = LONGEST.findIndex((one) => name.startsWith(one));
  return rank === -1 ? LONGEST.length : rank;
}

/**
 * `test/identity` for all below it, and `test` for the files beside the folders. Below `test/spec`,
 * where many tests wait for a second to pass, each folder is one of its own.
 */
function folderOf(file: string): string {
  const [alone] = LONG_FILES.exec(file) ?? [];
  if (alone !== undefined) return alone;
  if (hasRealHashes(file) && !file.startsWith(ALONE)) return REAL;
  const [, folder] =
    /^(test\/spec\/[^/]+\/|test\/[^/]+\/|packages\/attack\/test\/|test\/)/.exec(file) ?? [];
  if (folder === undefined) throw new Error(`${file} is in no folder of tests`);
  return folder.slice(0, -1);
}

async function runFolder({ name, files }: Folder): Promise<void> {
  const begun = performance.now();
  const countsFile = join(await mkdtemp(join(results, "folder-")), "counts");
  const child = spawn(process.execPath, [...nodeArgs(files, countsFile), ...files], {
    cwd: ROOT,
    env: {
      ...process.env,
      [SHARED_POSTGRES]: `${postgres.port} ${postgres.socketFolder}`,
      NODE_COMPILE_CACHE: COMPILED,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: FOLDER_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  const counts = await readCounts(countsFile);
  const failed = code === 0 ? counts.failed : Math.max(1, counts.failed);
  for (const program of counts.missing) missing.add(program);
  total.tests += counts.tests;
  total.skipped += counts.skipped;
  total.failed += failed;
  const took = `${seconds(performance.now() - begun)} s`;
  print(`${failed === 0 ? "✔" : "✖"} ${name}: ${counts.tests} tests in ${took}`);
  if (failed > 0) print(output.slice(Math.max(0, output.indexOf("✖ failing tests:"))));
}

function nodeArgs([first = ""]: readonly string[], countsFile: string): readonly string[] {
  return [
    ...hashFlags(first, ROOT),
    "--test",
    "--test-isolation=none",
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${COUNTS}`,
    `--test-reporter-destination=${countsFile}`,
  ];
}

/** Zero tests if the process ended before its tests did. */
async function readCounts(file: string): Promise<Counts> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text === "" ? { tests: 0, skipped: 0, failed: 0, missing: [] } : JSON.parse(text);
}

/** User and system time of all processes that have ended, in milliseconds. Linux only. */
async function cpuTimeOfChildren(): Promise<number | undefined> {
  const stat = await readFile("/proc/self/stat", "utf8").catch(() => undefined);
  if (stat === undefined) return undefined;
  // After the command in parentheses, which may contain spaces: fields 16 and 17, in 10 ms.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
