import { type Polling, poll } from "./poll.ts";
import type { GateLog } from "./server-log.ts";

const LOOK_EVERY_MS = 60_000;

/**
 * Warns while instances of an older version use the database, because they do not enforce what later
 * schemas have added. Stops once they are gone: an older version does not start on a newer schema.
 */
export function watchOlderInstances(
  olderSchemas: () => Promise<readonly number[]>,
  log: GateLog,
  everyMs: number = LOOK_EVERY_MS,
): Polling {
  let hasWarned = false;
  const look = async (): Promise<void> => {
    const schemas = await olderSchemas();
    if (schemas.length === 0) {
      if (hasWarned) log.info({}, "no older version uses the database any more");
      polling.stop();
    } else if (!hasWarned) {
      hasWarned = true;
      log.warn(
        { schemas },
        "an older version uses the database and does not enforce what is new: upgrade it",
      );
    }
  };
  // The database may be away for a while.
  const polling = poll(() => look().catch(() => {}), everyMs);
  return polling;
}
