import { setTimeout as sleep } from "node:timers/promises";

/** Not told by the file system: what exchanges certificates exchanges links and whole folders. */
const LOOK_EVERY_MS = 1_000;

/** Looks now, and once a second until it is told to stop. `look` has to take its own errors. */
export async function lookAgainAndAgain(
  look: () => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    await look();
    await sleep(LOOK_EVERY_MS, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}

/** Those who want to know of a change, and of how things are when they come. */
export interface Listeners {
  onChange(listener: () => void): void;
  tell(): void;
}

export function createListeners(): Listeners {
  const listeners: (() => void)[] = [];
  return {
    onChange(listener) {
      listeners.push(listener);
      listener();
    },
    tell() {
      for (const listener of listeners) listener();
    },
  };
}
