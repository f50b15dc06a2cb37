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
  /** The CPU time of this process since the last report, user and system, in µs. */
  readonly cpu: number;
}

/** Includes the receipt of the job, which can be large. */
let reported = process.cpuUsage();

process.on("message", (job: Job) => {
  perform(job).then(
    (done) => process.send?.(done),
    (error: Error) => process.send?.({ failed: error.message }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function perform({ requests, repeat, forMs, ...load }: Job): Promise<Done> {
  const start = performance.now();
  const end = start + forMs;
  let sent = 0;
  const next = (): string | undefined => {
    if ((repeat === "once" && sent === requests.length) || performance.now() >= end) return;
    return requests[sent++ % requests.length];
  };
  const { length } = await run({ ...load, next });
  const tookMs = performance.now() - start;
  const { user, system } = process.cpuUsage(reported);
  reported = process.cpuUsage();
  return { count: length, tookMs, cpu: user + system };
}
