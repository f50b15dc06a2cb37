import { pause } from "../lib/pause.ts";

export interface Polling {
  /** Resolves once the running check has ended. */
  stop(): Promise<void>;
}

/** Runs `check` now and again after each pause, until it is stopped. `check` must not reject. */
export function poll(check: (stop: AbortSignal) => Promise<void>, everyMs: number): Polling {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    while (!signal.aborted) {
      await check(signal);
      await pause(everyMs, signal);
    }
  }
  const ended = run();
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
