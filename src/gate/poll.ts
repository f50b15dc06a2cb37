import { setTimeout as sleep } from "node:timers/promises";

/** Waits, without keeping the process alive. Ends early when `stop` aborts. */
export const pause = (ms: number, stop: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { signal: stop, ref: false }).catch(() => {});

/** Runs `check` now and again after each pause, until `stop` aborts. `check` must not reject. */
export async function poll(
  check: () => Promise<void>,
  everyMs: number,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    await check();
    await pause(everyMs, stop);
  }
}
