import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface FloodOptions {
  readonly url: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** The number of requests that may wait for a response at a time. */
  readonly maxPending: number;
  readonly firstAddress: number;
}

/** Responses of one kind. */
export interface Count {
  readonly what: string;
  readonly times: number;
  readonly slowestMs: number;
}

export interface Flooded {
  readonly counts: readonly Count[];
  /** Attempts that were not sent, because `maxPending` others were waiting. */
  readonly held: number;
}

export async function sendFlood(order: FloodOptions): Promise<Flooded> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: order });
  const [flooded] = await once(worker, "message");
  await worker.terminate();
  return flooded;
}

export const SIGNED_IN = "303 /";
export const OVERLOADED = "503 with Retry-After";

/** Every response must be a successful sign-in or an overload response, with some of both. */
export function judgeFlood({ counts }: Flooded): readonly string[] {
  const timesOf = (name: string): number => counts.find(({ what }) => what === name)?.times ?? 0;
  return [
    ...counts
      .filter(({ what }) => what !== SIGNED_IN && what !== OVERLOADED)
      .map(({ what, times }) => `${times} times ${what}`),
    ...(timesOf(SIGNED_IN) === 0 ? ["no sign-in succeeded"] : []),
    ...(timesOf(OVERLOADED) === 0
      ? ["no request was rejected as overload, so it was not a flood"]
      : []),
  ];
}
