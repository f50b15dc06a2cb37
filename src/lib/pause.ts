import { setTimeout as sleep } from "node:timers/promises";

/** Waits, without keeping the process alive. Ends early when the signal aborts. Never rejects. */
export const pause = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
