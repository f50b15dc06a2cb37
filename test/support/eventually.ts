import { setTimeout as pause } from "node:timers/promises";

/** The share of the time waited so far, and the limits in milliseconds. */
const PAUSE = { share: 0.1, min: 5, max: 100 };

/**
 * Polls until there is a result, for changes without an event. Limited in time. The pauses grow, since
 * some tests wait for half a minute beside others.
 */
export async function eventually<T>(
  read: () => Promise<T | undefined> | T | undefined,
  withinMs = 10_000,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    const waited = performance.now() - startedAt;
    if (waited > withinMs) throw new Error(`no result within ${withinMs} ms`);
    await pause(Math.min(PAUSE.max, Math.max(PAUSE.min, waited * PAUSE.share)));
  }
}
