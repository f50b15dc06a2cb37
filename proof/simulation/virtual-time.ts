import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** Before it is replaced. */
const realTurn = timers.setImmediate;

/** Runs after all promises that are settled, and those that they settle. */
const allThatFollows = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** A time that passes only from event to event. */
export interface VirtualTime {
  /** Milliseconds since the start. */
  now(): number;
  /** Calls `work` at that time, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
  pause(ms: number): Promise<void>;
  /** Lets events happen, one at a time, until `done` is settled. */
  runUntil(done: Promise<unknown>): Promise<void>;
  /** Forgets what has not happened yet. */
  clear(): void;
}

interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

/** As long as a turn of the event loop, so that timers without a delay never stop the time. */
const TURN_MS = 0.01;

export function createVirtualTime(): VirtualTime {
  const waiting: Waiting[] = [];
  let time = 0;
  let count = 0;

  function after(ms: number, work: () => void): () => void {
    count += 1;
    const event: Waiting = { at: time + Math.max(ms, TURN_MS), order: count, work };
    let low = 0;
    for (let high = waiting.length; low < high; ) {
      const middle = (low + high) >>> 1;
      const other = waiting[middle];
      // The last element is the next event.
      if (other !== undefined && isLater(other, event)) low = middle + 1;
      else high = middle;
    }
    waiting.splice(low, 0, event);
    return () => {
      const index = waiting.indexOf(event);
      if (index !== -1) waiting.splice(index, 1);
    };
  }

  return {
    now: () => time,
    after,
    pause: (ms) => new Promise((resolve) => after(ms, resolve)),

    async runUntil(done) {
      let isDone = false;
      const end = (): void => {
        isDone = true;
      };
      done.then(end, end);
      // The process has its own work too, such as the collection of garbage.
      await realTurn();
      for (;;) {
        // All that follows from an event happens before the next one.
        await allThatFollows();
        const event = isDone ? undefined : waiting.pop();
        if (event === undefined) break;
        time = event.at;
        event.work();
      }
      if (!isDone) throw new Error("a simulated request waits for something that never happens");
      await done;
    },

    clear() {
      waiting.length = 0;
    },
  };
}

const isLater = (one: Waiting, other: Waiting): boolean =>
  one.at > other.at || (one.at === other.at && one.order > other.order);

/**
 * Makes every timer of this process one of the virtual time that `current` returns. The process can
 * do nothing else from then on: for the command and its simulations only.
 */
export function replaceTimers(current: () => VirtualTime): void {
  const timeout = (work: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
    handleOf(current().after(ms, () => work(...given)));
  const interval = (work: () => void, ms: number) => {
    const time = current();
    let stop = (): void => {};
    const again = (): void => {
      stop = time.after(ms, () => {
        again();
        work();
      });
    };
    again();
    return handleOf(() => stop());
  };
  const immediate = (work: (...given: unknown[]) => void, ...given: unknown[]) =>
    handleOf(current().after(0, () => work(...given)));
  const clear = (handle?: { stop?: () => void }): void => handle?.stop?.();
  Object.assign(globalThis, {
    setTimeout: timeout,
    setInterval: interval,
    setImmediate: immediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  Object.assign(timers, {
    setTimeout: (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = current().after(ms, () => resolve(value));
        signal?.addEventListener("abort", () => {
          stop();
          reject(signal.reason);
        });
      }),
    setImmediate: (value?: unknown) =>
      new Promise((resolve) => current().after(0, () => resolve(value))),
  });
  syncBuiltinESMExports();
}

function handleOf(stop: () => void) {
  const handle = { stop, ref: () => handle, unref: () => handle, hasRef: () => false };
  return handle;
}
