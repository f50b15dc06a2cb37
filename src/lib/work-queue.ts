import { createClientGoneFault, Unavailable } from "./fault.ts";
import { noMeter, type WorkMeter } from "./meter.ts";

export interface WorkQueueLimits {
  /** This many jobs run at the same time. */
  readonly atOnce: number;
  /** This many more jobs may wait. The queue refuses further jobs. */
  readonly waiting: number;
}

/** Identifies the client that a job runs for. */
export interface Requester {
  /** Requesters with waiting jobs take turns: each turn starts one job of the next requester. */
  readonly turn: string;
  /** Each of these names can occupy an eighth of the waiting places, but at least one place. */
  readonly shares: readonly string[];
  /** The queue drops the job if the job still waits when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Limits slow work: a fixed number of jobs runs, a fixed number waits, and the queue refuses the
 * rest at once. One requester can neither fill the queue nor delay others by more than one job per
 * turn.
 */
type WorkQueue = <T>(requester: Requester, job: () => Promise<T>) => Promise<T>;

const SHARES = 8;

interface Waiting {
  readonly shares: readonly string[];
  readonly start: () => void;
}

/**
 * @throws From each call `Unavailable` when the queue or the requester's share of it is full, and
 * the fault `client_gone` when the requester's signal aborts before the job starts.
 */
export function createWorkQueue(
  { atOnce, waiting }: WorkQueueLimits,
  meter: WorkMeter = noMeter.hashes,
): WorkQueue {
  /** The map holds waiting jobs by requester. The first requester has the next turn. */
  const lines = new Map<string, Set<Waiting>>();
  const share = Math.max(1, Math.floor(waiting / SHARES));
  let running = 0;

  function isFull({ shares }: Requester): boolean {
    const all = [...lines.values()].flatMap((line) => [...line]);
    const countTaken = (name: string): number =>
      all.filter((place) => place.shares.includes(name)).length;
    return all.length >= waiting || shares.some((name) => countTaken(name) >= share);
  }

  async function waitForTurn({ turn, shares, signal }: Requester): Promise<void> {
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const place: Waiting = { shares, start };
    const line = lines.get(turn) ?? new Set<Waiting>();
    lines.set(turn, line.add(place));
    const drop = (): void => {
      if (line.delete(place) && line.size === 0) lines.delete(turn);
      reject(createClientGoneFault());
    };
    signal?.addEventListener("abort", drop, { once: true });
    const endWaiting = meter.startWaiting();
    try {
      await promise;
    } finally {
      endWaiting();
      signal?.removeEventListener("abort", drop);
    }
  }

  /**
   * Passes the slot of a finished job on, so that a new job cannot take the slot before waiting
   * jobs.
   */
  function startNext(): void {
    const [next] = lines;
    if (next === undefined) {
      running -= 1;
      return;
    }
    const [turn, line] = next;
    const [place] = line;
    lines.delete(turn);
    if (place !== undefined) line.delete(place);
    if (line.size > 0) lines.set(turn, line);
    place?.start();
  }

  return async (requester, job) => {
    if (requester.signal?.aborted) throw createClientGoneFault();
    if (running < atOnce) {
      running += 1;
    } else if (isFull(requester)) {
      meter.countRefused();
      throw new Unavailable("overloaded", "the server is busy: try again in a moment", 2);
    } else {
      await waitForTurn(requester);
    }
    const endRunning = meter.startRunning();
    try {
      return await job();
    } finally {
      endRunning();
      startNext();
    }
  };
}
