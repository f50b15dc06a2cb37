import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

/** In `/proc/stat`, CPU time is in ticks of this length. */
const TICK_US = 10_000;
const MAX_GENERATORS = 4;

const cores = availableParallelism();

/** Which cores a process may use. Only the server's CPU time is a figure, so it gets a core of its own. */
export type Share = "server" | "load";

const canPin = cores > 1 && succeeds(() => execFileSync("taskset", ["-c", "0", "true"]));

/** Enough to keep the server busy, each on a core that the server does not use. */
export const generators: number = Math.max(1, Math.min(MAX_GENERATORS, cores - 1));

/** The command that keeps a process on its cores, to be put before the process's own command. */
export function pinned(share: Share): readonly string[] {
  if (!canPin) return [];
  return ["taskset", "-c", share === "server" ? "0" : `1-${cores - 1}`];
}

/** The CPU time that all processes and the hypervisor used so far, in µs; without `/proc`, `undefined`. */
export function usedByAll(): number | undefined {
  try {
    return parseUsed(readFileSync("/proc/stat", "utf8"));
  } catch {
    return undefined;
  }
}

/** All fields of the first line but `idle` and `iowait`; guests are within `user` and `nice`. */
function parseUsed(stat: string): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (
    /^cpu +(.*)$/m.exec(stat)?.[1] ?? ""
  )
    .split(" ")
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_US;
}

/** The CPU time of a process that cannot report it, in µs, and its resident memory in bytes. */
export function usageOf(pid: number): { readonly cpu: number; readonly memory: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name before the last bracket can contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpu: ((user ?? 0) + (system ?? 0)) * TICK_US, memory: (pages ?? 0) * 4_096 };
}

export function describeMachine(): string {
  const model = cpus()[0]?.model.replaceAll("(R)", "");
  const where = canPin ? "the server on one core, the load on the others" : "without fixed cores";
  return `${cores} × ${model}, Node ${process.versions.node}, ${where}`;
}

function succeeds(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
