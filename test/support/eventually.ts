import { setTimeout as pause } from "node:timers/promises";

/** Polls until there is a result, for changes without an event. Limited in time. */
export async function eventually<T>(
  read: () => Promise<T | undefined> | T | undefined,
  withinMs = 10_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) throw new Error(`no result within ${withinMs} ms`);
    await pause(5);
  }
}
