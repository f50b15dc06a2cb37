import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "./sandbox.ts";

/** A test file that takes longer than this, nothing being wrong, is left out. */
const TOO_SLOW_MS = 30_000;
const PATIENCE_MS = 15_000;
const PATIENCE_FACTOR = 4;
/** A mutant that is come by so many times more often than without it goes round for ever. */
const ENDLESS_FACTOR = 100;
/** Of the test files that come by a mutant, so many are asked at most, the likeliest first. */
const MOST_TESTS = 15;

const HERE = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const REPORTER = HERE("first-failure.ts");
const COVERED = HERE("covered.ts");

export interface TestFile {
  readonly name: string;
  readonly ms: number;
  /** How often its tests come by which mutant. */
  readonly covers: ReadonlyMap<string, number>;
}

/** Runs each test file once, with every mutant asleep. */
export async function lookAt(
  sandbox: Sandbox,
  name: string,
  signal: AbortSignal,
): Promise<TestFile | "fails" | "too slow"> {
  const list = join(sandbox.folder, "covered.json");
  const startedAt = performance.now();
  const env = { MUTANTS_COVERED: list };
  const passed = await run(sandbox, name, env, TOO_SLOW_MS, signal);
  const ms = performance.now() - startedAt;
  if (passed !== "passes") return ms < TOO_SLOW_MS ? "fails" : "too slow";
  return { name, ms, covers: new Map(Object.entries(JSON.parse(await readFile(list, "utf8")))) };
}

/** The test file that notices the mutant, if one does. */
export async function noticing(
  sandbox: Sandbox,
  id: string,
  inOrder: readonly TestFile[],
  signal: AbortSignal,
): Promise<TestFile | undefined> {
  for (const test of inOrder.slice(0, MOST_TESTS)) {
    const patience = PATIENCE_MS + PATIENCE_FACTOR * test.ms;
    const limit = ENDLESS_FACTOR * (test.covers.get(id) ?? 0);
    const env = { __STRYKER_ACTIVE_MUTANT__: id, MUTANTS_HIT_LIMIT: String(limit) };
    if ((await run(sandbox, test.name, env, patience, signal)) !== "passes") return test;
  }
  return undefined;
}

/** In a process group of its own, so that what it leaves running ends with it. */
async function run(
  { folder, temporary }: Sandbox,
  name: string,
  env: Readonly<Record<string, string>>,
  patienceMs: number,
  signal: AbortSignal,
): Promise<"passes" | "fails"> {
  signal.throwIfAborted();
  await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(temporary);
  const args = ["--import", COVERED, `--test-reporter=${REPORTER}`, name];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(folder, "../compiled"),
      TMPDIR: temporary,
      ...env,
    },
  });
  const end = (): void => endGroup(child.pid);
  const timer = setTimeout(end, patienceMs);
  signal.addEventListener("abort", end);
  try {
    const [code] = await once(child, "close");
    signal.throwIfAborted();
    return code === 0 ? "passes" : "fails";
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    end();
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}
