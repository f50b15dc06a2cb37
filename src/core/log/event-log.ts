import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { type EntryMeter, noMeter } from "../base/meter.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { NewLogEntry } from "../records.ts";
import type { LogStore } from "../store.ts";
import { createDenialPruner } from "./denial-pruner.ts";
import { DENIAL, type Event } from "./events.ts";

/** With this many waiting entries, new ones are dropped, and counted in the server log. */
export const MAX_WAITING = 10_000;
/** Denials, which any client can cause, fill at most half of the queue. */
const MAX_WAITING_DENIALS = 5_000;
const MAX_BATCH = 500;
/** A single entry is written at once. Those that follow within the pause share a transaction. */
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
const CLOSE_WITHIN_MS = 2_000;
const FLUSH_WITHIN_MS = 250;

/**
 * Inserts log entries in the background: in order, in batches, retried after a pause when the store
 * fails. Recording never waits and never throws, so no response depends on it.
 */
export interface EventLog {
  record(event: Event): void;
  readonly waiting: number;
  /**
   * Writes the entries that wait at the call at once. Does not wait for later entries, stops when the
   * store fails, and returns after 250 ms at most. Never throws.
   */
  flush(): Promise<void>;
  /** Writes the waiting entries, for two seconds at most, and logs how many it could not write. */
  close(): Promise<void>;
}

export const toEntry = (event: Event, clock: Pick<Clock, "now">): NewLogEntry => ({
  at: new Date(clock.now()),
  ...event,
});

interface EventLogParts {
  readonly meter?: EntryMeter;
  /** Called with the entries of each transaction. Must not throw. */
  readonly onStored?: (stored: readonly NewLogEntry[]) => Promise<void>;
}

export function createEventLog(
  store: Pick<LogStore, "insert" | "pruneType">,
  clock: Clock,
  log: ServerLog,
  { meter = noMeter.entries, onStored = async () => {} }: EventLogParts = {},
): EventLog {
  const pruneDenials = createDenialPruner(store, log);
  const waiting: NewLogEntry[] = [];
  /** `upTo` is how many entries must have been written since the start. */
  const flushing = new Set<{ readonly upTo: number; readonly done: () => void }>();
  let closed = false;
  let hurry = new AbortController();
  let dropped = 0;
  let writtenCount = 0;
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    let pause = PAUSE_MS;
    try {
      while (waiting.length > 0) {
        const written = await writeBatch();
        finishFlushes(written ? writtenCount : Infinity);
        if (closed && !written) break;
        pause = written ? PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS);
        if (flushing.size === 0 && !closed) await pauseFor(pause);
      }
    } catch {
      // The server log or the meter threw, so there is nowhere to report it. The next entry retries.
      finishFlushes(Infinity);
    }
    // Must stay synchronous with the last check of `waiting`, or an entry could stay unwritten.
    writing = undefined;
  }

  function finishFlushes(reached: number): void {
    for (const flush of flushing) if (flush.upTo <= reached) flush.done();
  }

  /** Ends early on a flush or on close. */
  async function pauseFor(ms: number): Promise<void> {
    hurry = new AbortController();
    await sleep(ms, undefined, { ref: false, signal: hurry.signal }).catch(() => {});
  }

  async function writeBatch(): Promise<boolean> {
    const batch = waiting.slice(0, MAX_BATCH);
    try {
      await store.insert(batch);
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
    await pruneDenials(batch);
    await onStored(batch);
    return true;
  }

  function write(): void {
    // One turn of the event loop first: the response is sent before the disk write, and entries of
    // the same turn share one transaction.
    writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(writeAll);
  }

  return {
    get waiting() {
      return waiting.length;
    },

    record(event) {
      const limit = event.type === DENIAL ? MAX_WAITING_DENIALS : MAX_WAITING;
      if (waiting.length >= limit) {
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
      const flush = { upTo: writtenCount + waiting.length, done };
      flushing.add(flush);
      hurry.abort();
      write();
      await promise;
    },

    async close() {
      closed = true;
      hurry.abort();
      await Promise.race([writing, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
      const lost = waiting.length + dropped;
      if (lost > 0) log.error({ lost }, "log entries lost at the end");
    },
  };
}
