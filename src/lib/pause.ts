import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits without keeping the process alive. The pause ends early when the signal aborts, and never
 * rejects.
 */
export const pause = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
