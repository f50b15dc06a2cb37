/** A process of its own that sends requests, so that its work is not measured with the server's. */
import { run } from "./load.ts";

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly string[];
  /** Whether the requests start again when all were sent, until the time is over. */
  readonly repeat: "once" | "again";
  readonly forMs: number;
  readonly status: number;
  readonly text?: string;
}

export interface Done {
  readonly count: number;
  readonly tookMs: number;
  /** The CPU time of this process, user and system, in µs. */
  readonly cpu: number;
}

process.on("message", (job: Job) => {
  perform(job).then(
    (done) => process.send?.(done),
    (error: Error) => process.send?.({ failed: error.message }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function perform({ requests, repeat, forMs, ...load }: Job): Promise<Done> {
  const before = process.cpuUsage();
  const start = performance.now();
  const end = start + forMs;
  let sent = 0;
  const next = (): string | undefined => {
    if ((repeat === "once" && sent === requests.length) || performance.now() >= end) return;
    return requests[sent++ % requests.length];
  };
  const { length } = await run({ ...load, next });
  const { user, system } = process.cpuUsage(before);
  return { count: length, tookMs: performance.now() - start, cpu: user + system };
}
