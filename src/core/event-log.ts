import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import type { Event } from "./events.ts";
import { messageOf } from "./fault.ts";
import { type EntryMeter, noMeter } from "./meter.ts";
import type { ServerLog } from "./server-log.ts";
import type { NewLogEntry, Store } from "./store.ts";

/** Past this many waiting entries the newest are dropped, and counted in the server log. */
export const MAX_WAITING = 10_000;
/** Half of the places are kept from what any stranger can cause as often as they like. */
const MAX_WAITING_DENIALS = 5_000;
const MAX_BATCH = 500;
/** A lone entry is written at once, those that follow it closely share a transaction. */
const PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const CLOSE_WITHIN_MS = 2_000;
const FLUSH_WITHIN_MS = 250;

/**
 * Inserts log entries behind the responses' back: in order, in batches, again after a pause when
 * the store fails. Recording never waits and never throws, so no response can depend on it.
 */
export interface EventLog {
  record(event: Event): void;
  readonly waiting: number;
  /**
   * Writes at once what waits at the moment of the call, and does not wait for later entries. Ends
   * early when the store fails, and after 250 ms in any case. Never throws.
   */
  flush(): Promise<void>;
  /** Writes what is waiting, for two seconds at most, and says what it could not write. */
  close(): Promise<void>;
}

interface Flush {
  /** How many entries have to be written since the start. */
  readonly upTo: number;
  readonly done: () => void;
}

export const toEntry = (event: Event, clock: Pick<Clock, "now">): NewLogEntry => ({
  at: new Date(clock.now()),
  ...event,
});

export function createEventLog(
  store: Pick<Store, "insertLogEntries">,
  clock: Clock,
  log: ServerLog,
  meter: EntryMeter = noMeter.entries,
): EventLog {
  const waiting: NewLogEntry[] = [];
  const closing = new AbortController();
  const flushing = new Set<Flush>();
  let hurry = new AbortController();
  let dropped = 0;
  let writtenCount = 0;
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    let pause = PAUSE_MS;
    try {
      while (waiting.length > 0) {
        const written = await writeBatch();
        answerFlushes(written ? writtenCount : Infinity);
        if (closing.signal.aborted && !written) break;
        pause = written ? PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
        if (flushing.size === 0) await rest(pause);
      }
    } catch {
      // The server log or the meter threw, and there is nobody else to tell. The next entry goes on.
      answerFlushes(Infinity);
    }
    // In the same breath as the last look at what is waiting, or an entry could be left behind.
    writing = undefined;
  }

  function answerFlushes(reached: number): void {
    for (const flush of flushing) if (flush.upTo <= reached) flush.done();
  }

  /** Shorter where somebody waits for the entries, or for the end. */
  async function rest(pause: number): Promise<void> {
    hurry = new AbortController();
    const signal = AbortSignal.any([closing.signal, hurry.signal]);
    await sleep(pause, undefined, { ref: false, signal }).catch(() => {});
  }

  async function writeBatch(): Promise<boolean> {
    const batch = waiting.slice(0, MAX_BATCH);
    try {
      await store.insertLogEntries(batch);
    } catch (error) {
      meter.failed();
      log.error({ reason: messageOf(error), waiting: waiting.length }, "log entries not written");
      return false;
    }
    waiting.splice(0, batch.length);
    writtenCount += batch.length;
    meter.written(batch.length);
    if (dropped > 0) log.error({ dropped }, "log entries dropped: too many were waiting");
    dropped = 0;
    return true;
  }

  function write(): void {
    // A pause for the event loop first: the response goes out before the disk is touched, and
    // entries made in the same moment share one transaction.
    writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(writeAll);
  }

  return {
    get waiting() {
      return waiting.length;
    },

    record(event) {
      const most = event.type === "signin_rate_limited" ? MAX_WAITING_DENIALS : MAX_WAITING;
      if (waiting.length >= most) {
        dropped += 1;
        meter.dropped();
        return;
      }
      waiting.push(toEntry(event, clock));
      write();
    },

    async flush() {
      if (waiting.length === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const done = (): void => {
        clearTimeout(timer);
        flushing.delete(flush);
        resolve();
      };
      const timer = setTimeout(done, FLUSH_WITHIN_MS).unref();
      const flush: Flush = { upTo: writtenCount + waiting.length, done };
      flushing.add(flush);
      hurry.abort();
      write();
      await promise;
    },

    async close() {
      closing.abort();
      await Promise.race([writing, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      const lost = waiting.length + dropped;
      if (lost > 0) log.error({ lost }, "log entries lost at the end");
    },
  };
}
