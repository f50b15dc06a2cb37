import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Done, Job } from "./generator.ts";
import { generators, pinned, usedByAll } from "./machine.ts";

const GENERATOR = fileURLToPath(new URL("generator.ts", import.meta.url));
/** The share of a core for other processes. Above it, a figure is not the server's alone. */
const MAX_BY_OTHERS = 0.1;
const MAX_TRIES = 4;

/** The number of connections is the total of all generators. */
export type Work = Omit<Job, "port" | "forMs">;

/** The figures of one measurement. */
export interface Sample {
  /** µs per request, of all threads of the server, user and system. */
  readonly cpu: number;
  /** Requests per second. */
  readonly rate: number;
  /** The share of one core that the server used: below 1, it waited for the load. */
  readonly busy: number;
  /** The share of one core that other processes used. */
  readonly others: number;
}

/** A server whose CPU time so far can be asked for, in µs. */
export interface Measured {
  readonly port: number;
  usage(): Promise<{ readonly cpu: number }>;
}

/** Processes that load a server. */
export interface Generators {
  /** Sends the requests for a time, and measures the server. */
  sample(server: Measured, work: Work, forMs: number): Promise<Sample>;
  /** The same again while other processes disturb it, but not without end. */
  quietSample(server: Measured, work: () => Work, forMs: number): Promise<Sample>;
  stop(): Promise<void>;
}

export const isDisturbed = ({ others }: Sample): boolean => others > MAX_BY_OTHERS;

export async function startGenerators(): Promise<Generators> {
  const all = await Promise.all(Array.from({ length: generators }, start));
  const sample: Generators["sample"] = async (server, work, forMs) => {
    const { cpu: before } = await server.usage();
    const [usedBefore, ownBefore] = [usedByAll(), ownCpu()];
    const begin = performance.now();
    const done = await Promise.all(
      all.map((child, at) => perform(child, jobFor(server.port, work, forMs, at))),
    );
    const tookUs = (performance.now() - begin) * 1_000;
    const [usedAfter, ownAfter] = [usedByAll(), ownCpu()];
    const cpu = (await server.usage()).cpu - before;
    const count = sum(done.map((one) => one.count));
    const known = cpu + sum(done.map((one) => one.cpu)) + ownAfter - ownBefore;
    return {
      cpu: cpu / count,
      rate: sum(done.map((one) => (one.count / one.tookMs) * 1_000)),
      busy: cpu / (Math.max(...done.map((one) => one.tookMs)) * 1_000),
      others: othersOf((usedAfter ?? Number.NaN) - (usedBefore ?? Number.NaN) - known, tookUs),
    };
  };
  return {
    sample,
    async quietSample(server, work, forMs) {
      const first = work();
      let best = await sample(server, first, forMs);
      // Requests that work only once, such as the first one of a session, cannot be repeated.
      const tries = first.repeat === "once" ? 1 : MAX_TRIES;
      for (let left = tries - 1; isDisturbed(best) && left > 0; left -= 1) {
        const next = await sample(server, work(), forMs);
        if (next.others < best.others) best = next;
      }
      return best;
    },
    async stop() {
      await Promise.all(all.map(end));
    },
  };
}

/** Without `/proc`, it is unknown and counts as none. */
const othersOf = (us: number, tookUs: number): number =>
  Number.isNaN(us) ? 0 : Math.max(0, us / tookUs);

function jobFor(port: number, work: Work, forMs: number, at: number): Job {
  const { requests } = work;
  const own = requests.filter((_, index) => index % generators === at % requests.length);
  const connections = Math.ceil(work.connections / generators);
  return { ...work, port, forMs, connections, requests: own };
}

async function start(): Promise<ChildProcess> {
  const [command = "", ...args] = [...pinned("load"), process.execPath, GENERATOR];
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  return child;
}

async function perform(child: ChildProcess, job: Job): Promise<Done> {
  child.send(job);
  const [answer]: (Done | { failed: string })[] = await once(child, "message");
  if (answer === undefined || "failed" in answer) throw new Error(answer?.failed);
  return answer;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
