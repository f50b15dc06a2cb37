import { setImmediate as turn } from "node:timers/promises";
import type { NotedRefusal, NotedUse } from "../../db/queries/app-uses.ts";
import { toAppUseId, type UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import { pause } from "../../lib/pause.ts";
import type { ServerLog } from "../../lib/server-log.ts";

/** All uses within this time share one write. */
const PAUSE_MS = 1_000;
/** Longer queues would not be written in time. What exceeds them is not noted. */
const MAX_WAITING = 5_000;
/** One transaction writes this many uses. */
const MAX_BATCH = 100;
/** So many pairs of a person and an app are known for an hour. */
const MAX_SEEN = 100_000;
const HOUR_MS = 3_600_000;
const FLUSH_WITHIN_MS = 250;

/**
 * Notes in the background who has opened which app, and to whom an app was refused. No request waits
 * for it, and a failure only adds a line to the server log: nothing depends on what is noted.
 */
export interface AppUseRecorder {
  /** Notes a sign-in with OpenID Connect. */
  noteSignIn(appId: string, userId: UserId, device: string): void;
  /**
   * Notes that a guard has admitted the person. Each request to an app calls this, so all but the
   * first within an hour cost two look-ups and nothing else.
   */
  noteVisit(appId: string, userId: UserId, readDevice: () => string): void;
  /** @param uri the app asked for this redirect URI; without it, the app does not admit the person. */
  noteRefusal(appId: string, userId: UserId, uri?: string): void;
  /** Writes what is waiting, and returns after 250 ms at most. Never throws. */
  flush(): Promise<void>;
}

export function createAppUseRecorder(
  store: Pick<StoreParts["appUses"], "note" | "noteRefusal">,
  clock: Pick<Clock, "now">,
  log: ServerLog,
): AppUseRecorder {
  let uses: NotedUse[] = [];
  let refusals = new Map<string, NotedRefusal>();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let seenHour = 0;
  let seenCount = 0;
  const seen = new Map<string, Set<UserId>>();

  async function writeAll(): Promise<void> {
    // The write waits one turn of the event loop, so that the response is sent before the disk
    // write.
    await turn();
    while (uses.length + refusals.size > 0) {
      const [batch, refused] = [uses.slice(0, MAX_BATCH), [...refusals.values()]];
      uses = uses.slice(MAX_BATCH);
      refusals = new Map();
      try {
        if (batch.length > 0) await store.note(batch);
        for (const refusal of refused) await store.noteRefusal(refusal);
      } catch (error) {
        log.warn({ reason: getErrorMessage(error) }, "the last use of apps was not noted");
      }
    }
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (uses.length + refusals.size > 0) schedule();
    });
  }

  function schedule(): void {
    timer ??= setTimeout(write, PAUSE_MS).unref();
  }

  function add(use: NotedUse): void {
    if (uses.length >= MAX_WAITING) return;
    uses.push(use);
    schedule();
  }

  return {
    noteSignIn: (appId, userId, device) =>
      add({ appId, userId, device, at: new Date(clock.now()), counts: "each" }),

    noteVisit(appId, userId, readDevice) {
      const now = clock.now();
      const hour = Math.floor(now / HOUR_MS);
      if (hour !== seenHour) {
        seen.clear();
        [seenHour, seenCount] = [hour, 0];
      }
      let people = seen.get(appId);
      if (people?.has(userId) || seenCount >= MAX_SEEN) return;
      if (people === undefined) {
        people = new Set();
        seen.set(appId, people);
      }
      people.add(userId);
      seenCount += 1;
      add({ appId, userId, device: readDevice(), at: new Date(now), counts: "once-an-hour" });
    },

    noteRefusal(appId, userId, refusedUri) {
      const id = toAppUseId(appId, userId);
      if (refusals.size >= MAX_WAITING && !refusals.has(id)) return;
      refusals.set(id, { appId, userId, at: new Date(clock.now()), refusedUri });
      schedule();
    },

    async flush() {
      if (uses.length + refusals.size > 0) write();
      await Promise.race([writing, pause(FLUSH_WITHIN_MS)]);
    },
  };
}
