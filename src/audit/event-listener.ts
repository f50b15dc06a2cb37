import type { NewLogEntry } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import { getErrorMessage } from "../lib/fault.ts";
import type { ServerLog } from "../lib/server-log.ts";

/** Represents a stored entry of the audit log, as a listener receives it. */
export interface AuditEvent extends NewLogEntry {
  /**
   * True for the first sign-in of this account from this address and device, as far as the log
   * reaches.
   */
  readonly new?: true;
}

/**
 * Called after an entry is stored. What the listener returns or throws does not change a response.
 */
export type EventListener = (event: AuditEvent) => unknown;

/** Returns a function that passes stored entries to the listener. A failure is only logged. */
export function createEventListener(
  listener: EventListener,
  store: Pick<StoreParts["log"], "hasEarlier">,
  log: ServerLog,
): (stored: readonly NewLogEntry[]) => Promise<void> {
  const callListener = async (event: AuditEvent): Promise<unknown> =>
    listener(Object.freeze(event));
  const logFailure = (what: string) => (error: unknown) =>
    log.error({ reason: getErrorMessage(error) }, what);
  return async (stored) => {
    for (const entry of stored) {
      const isNew = await isFirstSignIn(store, entry).catch(
        logFailure("earlier sign-ins not read"),
      );
      // The call is not awaited: a listener that hangs must not delay the log.
      callListener({ ...entry, ...(isNew === true && { new: true }) }).catch(
        logFailure("onEvent failed"),
      );
    }
  };
}

async function isFirstSignIn(
  store: Pick<StoreParts["log"], "hasEarlier">,
  { type, userId, address, device, at }: NewLogEntry,
): Promise<boolean> {
  if (type !== "signin" || userId === undefined) return false;
  return !(await store.hasEarlier({ type, userId, address, device, at }));
}
