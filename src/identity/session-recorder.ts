import { setImmediate as turn } from "node:timers/promises";
import type { Session } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import { getErrorMessage } from "../lib/fault.ts";
import { pause } from "../lib/pause.ts";
import type { ServerLog } from "../lib/server-log.ts";

/** All uses within this time share one write. */
const PAUSE_MS = 1_000;
const MAX_WAITING_USES = 10_000;
const FLUSH_WITHIN_MS = 250;

/**
 * Records sessions in the background. No request waits for it, and a failure only adds a line to
 * the server log: a session is valid whether it is recorded or not.
 */
export interface SessionRecorder {
  recordStart(session: Session): void;
  recordUse(id: string): void;
  /** Writes the waiting records, and returns after 250 ms at most. Never throws. */
  flush(): Promise<void>;
}

/** @param store If `undefined`, the recorder records nothing. */
export function createSessionRecorder(
  store: Pick<StoreParts["sessions"], "insert" | "noteUsed"> | undefined,
  clock: Pick<Clock, "now">,
  log: ServerLog,
): SessionRecorder {
  if (store === undefined) return { recordStart() {}, recordUse() {}, async flush() {} };
  const running = new Set<Promise<void>>();
  let usedIds = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function run(write: () => Promise<void>, failure: string): void {
    // The write waits one turn of the event loop, so that the response is sent before the disk
    // write.
    const done = turn()
      .then(write)
      .catch((error: unknown) => log.warn({ reason: getErrorMessage(error) }, failure))
      .finally(() => running.delete(done));
    running.add(done);
  }

  const writeUses = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (usedIds.size === 0) return;
    const ids = [...usedIds];
    usedIds = new Set();
    const at = new Date(clock.now());
    run(() => store.noteUsed(ids, at), "the last use of sessions was not recorded");
  };

  return {
    recordStart: (session) => run(() => store.insert(session), "a session was not recorded"),

    recordUse(id) {
      if (usedIds.size >= MAX_WAITING_USES) return;
      usedIds.add(id);
      timer ??= setTimeout(writeUses, PAUSE_MS).unref();
    },

    async flush() {
      writeUses();
      if (running.size === 0) return;
      await Promise.race([Promise.all(running), pause(FLUSH_WITHIN_MS)]);
    },
  };
}
