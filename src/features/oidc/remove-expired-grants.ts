import type { StoreParts } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import type { ServerLog } from "../../lib/server-log.ts";

interface RemoveExpiredServices {
  readonly store: Pick<StoreParts, "grants">;
  readonly clock: Pick<Clock, "now">;
  readonly log: ServerLog;
}

/** Removes what has expired, in small steps. A failure is only logged, because the next run follows. */
export async function removeExpiredGrants({
  store,
  clock,
  log,
}: RemoveExpiredServices): Promise<void> {
  try {
    while (await store.grants.removeExpired(new Date(clock.now())));
  } catch (error) {
    log.warn({ reason: getErrorMessage(error) }, "cannot remove expired tokens");
  }
}
