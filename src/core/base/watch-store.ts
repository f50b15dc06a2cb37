import type { Store } from "../store.ts";
import type { Clock } from "./clock.ts";
import { messageOf, STORE_BUSY, Unavailable } from "./fault.ts";
import type { ServerLog } from "./server-log.ts";
import { wrapStore } from "./wrap-store.ts";

/** A store that has answered within this time has only failed a single request. */
const AWAY_AFTER_MS = 1_000;

/**
 * Returns the same store, and logs when it stops to answer and when it answers again. A busy store
 * is not away: it answers others.
 */
export function watchStore<S extends Store>(
  store: S,
  clock: Pick<Clock, "monotonic">,
  log: ServerLog,
): S {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let failingSince: number | undefined;
  let isAway = false;

  function answered(): void {
    answeredAt = clock.monotonic();
    const since = failingSince;
    failingSince = undefined;
    if (!isAway || since === undefined) return;
    isAway = false;
    const seconds = Math.round((answeredAt - since) / 1_000);
    log.warn({ seconds }, "the database is back");
  }

  function failed(error: unknown): void {
    if (!(error instanceof Unavailable) || error.code === STORE_BUSY) return;
    const monotonic = clock.monotonic();
    failingSince ??= monotonic;
    if (isAway || monotonic - answeredAt < AWAY_AFTER_MS) return;
    isAway = true;
    const cause = error.cause === undefined ? {} : { cause: messageOf(error.cause) };
    log.warn({ reason: error.message, ...cause }, "the database is away");
  }

  return wrapStore(store, (_, call) => {
    const result = call();
    if (result instanceof Promise) void result.then(answered, failed);
    return result;
  });
}
