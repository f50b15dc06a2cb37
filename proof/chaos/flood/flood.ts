import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface FloodOrder {
  readonly url: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** More than so many do not wait for an answer at the same time. */
  readonly mostAtOnce: number;
  readonly firstAddress: number;
}

/** Answers of one kind. */
export interface Count {
  readonly what: string;
  readonly times: number;
  readonly slowestMs: number;
}

export interface Flooded {
  readonly counts: readonly Count[];
  /** Attempts that were not made, since too many were under way. */
  readonly held: number;
}

export async function pour(order: FloodOrder): Promise<Flooded> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: order });
  const [flooded] = await once(worker, "message");
  await worker.terminate();
  return flooded;
}

export const LET_IN = "303 /";
export const EXCESS = "503 with Retry-After";

/** Nothing but sign-ins that work, and the word that there are too many; of both some. */
export function judgeFlood({ counts }: Flooded): readonly string[] {
  const timesOf = (name: string): number => counts.find(({ what }) => what === name)?.times ?? 0;
  return [
    ...counts
      .filter(({ what }) => what !== LET_IN && what !== EXCESS)
      .map(({ what, times }) => `${times} times ${what}`),
    ...(timesOf(LET_IN) === 0 ? ["nobody was let in"] : []),
    ...(timesOf(EXCESS) === 0 ? ["nobody was sent away: it was no flood"] : []),
  ];
}
