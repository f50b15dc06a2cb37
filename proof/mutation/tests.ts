import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hashFlags } from "../../test/support/hash-flags.ts";
import type { Sandbox } from "./sandbox.ts";

/** A test file that takes longer without mutants is not used. */
const MAX_TEST_MS = 30_000;
/** A mutant may slow a test file down to this time plus a multiple of its usual time. */
const TIMEOUT_MS = 15_000;
const TIMEOUT_FACTOR = 4;
/** A mutant that runs this many times more often than the original code is an endless loop. */
const LOOP_FACTOR = 100;

const HERE = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const REPORTER = HERE("first-failure.ts");
const COVERED = HERE("covered.ts");

export interface TestFile {
  readonly name: string;
  readonly ms: number;
  /** How often its tests execute each mutant's code. */
  readonly covers: ReadonlyMap<string, number>;
}

/** Runs a test file once with all mutants inactive, and records its time and coverage. */
export async function measureTest(
  sandbox: Sandbox,
  name: string,
  signal: AbortSignal,
): Promise<TestFile | "fails" | "too slow"> {
  const list = join(sandbox.temporary, `${name.replaceAll("/", "-")}.json`);
  const startedAt = performance.now();
  const env = { MUTANTS_COVERED: list };
  const passed = await run(sandbox, name, env, MAX_TEST_MS, signal);
  const ms = performance.now() - startedAt;
  if (passed !== "passes") return ms < MAX_TEST_MS ? "fails" : "too slow";
  return { name, ms, covers: new Map(Object.entries(JSON.parse(await readFile(list, "utf8")))) };
}

/** The first test file that fails or hangs with the mutant. */
export async function findKiller(
  sandbox: Sandbox,
  id: string,
  inOrder: readonly TestFile[],
  signal: AbortSignal,
): Promise<TestFile | undefined> {
  for (const test of inOrder) {
    const timeoutMs = TIMEOUT_MS + TIMEOUT_FACTOR * test.ms;
    const limit = LOOP_FACTOR * (test.covers.get(id) ?? 0);
    const env = { __STRYKER_ACTIVE_MUTANT__: id, MUTANTS_HIT_LIMIT: String(limit) };
    if ((await run(sandbox, test.name, env, timeoutMs, signal)) !== "passes") return test;
  }
  return undefined;
}

/** Runs in a process group, so that processes it leaves behind are killed too. */
async function run(
  { folder, temporary }: Sandbox,
  name: string,
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<"passes" | "fails"> {
  signal.throwIfAborted();
  const own = await mkdtemp(join(temporary, "run-"));
  // Where hashing itself is changed, its cost has to be found as it is.
  const hashes = name.startsWith("test/identity/") ? [] : hashFlags(name, folder);
  const flags = ["--import", COVERED, ...hashes, `--test-reporter=${REPORTER}`];
  const child = spawn(process.execPath, [...flags, name], {
    cwd: folder,
    detached: true,
    stdio: "ignore",
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(folder, "../compiled"),
      TMPDIR: own,
      ...env,
    },
  });
  const end = (): void => endGroup(child.pid);
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener("abort", end);
  try {
    const [code] = await once(child, "close");
    signal.throwIfAborted();
    return code === 0 ? "passes" : "fails";
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    end();
    await rm(own, { recursive: true, force: true, maxRetries: 5 });
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}
