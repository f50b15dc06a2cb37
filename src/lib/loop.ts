import { pause } from "./pause.ts";

/** Represents work that runs again and again in the background. */
export interface Loop {
  /** Ends the current pause. During a check, the next check follows at once. */
  wake(): void;
  /** Resolves once the running check has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `check` after each pause, until the loop is stopped. The first pause has this length, and
 * `check` returns the length of the next one. `check` must not reject.
 */
export function startLoop(
  firstPauseMs: number,
  check: (stop: AbortSignal) => Promise<number>,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  let woken = Promise.withResolvers<void>();

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      await Promise.race([pause(pauseMs, signal), woken.promise]);
      if (signal.aborted) break;
      woken = Promise.withResolvers<void>();
      pauseMs = await check(signal);
    }
  }

  const ended = run();
  return {
    wake: () => woken.resolve(),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
