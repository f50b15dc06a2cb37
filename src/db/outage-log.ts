import type { Clock } from "../lib/clock.ts";
import { getErrorMessage, STORE_BUSY, Unavailable } from "../lib/fault.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { Observer } from "./operations.ts";

/** If the database has answered within this time, only a single request has failed. */
const AWAY_AFTER_MS = 1_000;

/**
 * Creates the observer that logs when a database stops answering and when it answers again. A busy
 * database does not count as away, since it answers other requests.
 */
export function createOutageLog(clock: Pick<Clock, "monotonic">, log: ServerLog): Observer {
  let answeredAt = Number.NEGATIVE_INFINITY;
  let failingSince: number | undefined;
  let isAway = false;
  return {
    answered() {
      answeredAt = clock.monotonic();
      const since = failingSince;
      failingSince = undefined;
      if (!isAway || since === undefined) return;
      isAway = false;
      const seconds = Math.round((answeredAt - since) / 1_000);
      log.warn({ seconds }, "the database is back");
    },

    failed(_operation, _seconds, error) {
      if (!(error instanceof Unavailable) || error.code === STORE_BUSY) return;
      const monotonic = clock.monotonic();
      failingSince ??= monotonic;
      if (isAway || monotonic - answeredAt < AWAY_AFTER_MS) return;
      isAway = true;
      const cause = error.cause === undefined ? {} : { cause: getErrorMessage(error.cause) };
      log.warn({ reason: error.message, ...cause }, "the database is away");
    },
  };
}
