import { setImmediate as turn } from "node:timers/promises";
import { MAX_WAITING_ENTRIES, type NewLogEntry } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import { getErrorMessage } from "../lib/fault.ts";
import { type EntryMeter, noMeter } from "../lib/meter.ts";
import { pause } from "../lib/pause.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { DENIAL, type NewAuditEvent } from "./events.ts";
import { createRepeatedEvents } from "./repeated-events.ts";

/** Denials fill at most half of the queue, since any client can cause them. */
const MAX_WAITING_DENIALS = 5_000;
const MAX_BATCH = 500;
/** A single entry is written at once. Entries that follow within the pause share a transaction. */
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
const CLOSE_WITHIN_MS = 2_000;
const FLUSH_WITHIN_MS = 250;

/**
 * The audit log keeps this many denied sign-ins: any client can cause them and could fill the disk.
 */
const MAX_KEPT_DENIALS = 10_000;
/** A check follows after this many new denials, since each check takes a millisecond. */
const PRUNE_AFTER = 500;
/**
 * One check removes at most this many denials: more than `PRUNE_AFTER`, and few enough for a short
 * transaction.
 */
const MAX_PRUNED = 1_000;

/**
 * Inserts log entries in the background: in order, in batches, and with retries after a pause when
 * the store fails. Recording never waits and never throws, so no response depends on it. The number
 * of entries that one account repeats is bounded.
 */
export interface EventLog {
  record(event: NewAuditEvent): void;
  /**
   * Records how many entries exceeded the limit for repeated entries, and starts the next minute.
   */
  sumUp(): void;
  readonly waiting: number;
  /**
   * Writes the entries that wait at the time of the call, without a pause. Does not wait for later
   * entries, stops when the store fails, and returns after 250 ms at most. Never throws.
   */
  flush(): Promise<void>;
  /**
   * Writes the waiting entries, for two seconds at most, and logs how many entries it could not
   * write.
   */
  close(): Promise<void>;
}

export const toLogEntry = (event: NewAuditEvent, clock: Pick<Clock, "now">): NewLogEntry => ({
  at: new Date(clock.now()),
  ...event,
});

interface EventLogOptions {
  readonly meter?: EntryMeter;
  /**
   * Called before the entries are stored, also again with the same entries after a failure. If it
   * rejects, the entries are tried again later.
   */
  readonly beforeStored?: (entries: readonly NewLogEntry[]) => Promise<void>;
  /** Called with the entries of each transaction. The function must not throw. */
  readonly onStored?: (stored: readonly NewLogEntry[]) => Promise<void>;
}

export function createEventLog(
  store: Pick<StoreParts["log"], "insert" | "pruneType">,
  clock: Clock,
  log: ServerLog,
  {
    meter = noMeter.entries,
    beforeStored = async () => {},
    onStored = async () => {},
  }: EventLogOptions = {},
): EventLog {
  const waiting: NewLogEntry[] = [];
  const repeated = createRepeatedEvents(clock);
  const closing = new AbortController();
  let dropped = 0;
  let writtenCount = 0;
  let uncheckedDenials = PRUNE_AFTER - 1;
  let batch: Promise<"written" | "failed"> | undefined;
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    let ms = PAUSE_MS;
    while (waiting.length > 0) {
      const isLast = closing.signal.aborted;
      const outcome = await writeNextBatch();
      if (outcome === "failed" && isLast) break;
      ms = outcome === "written" ? PAUSE_MS : Math.min(ms * 2, MAX_PAUSE_MS);
      await pause(ms, closing.signal);
    }
    // This line must stay synchronous with the last check of `waiting`, or an entry could stay
    // unwritten.
    writing = undefined;
  }

  /** Writes a batch, or waits for the batch that is being written. Never throws. */
  function writeNextBatch(): Promise<"written" | "failed"> {
    batch ??= writeBatch()
      // The server log or the meter threw, so the failure cannot be reported anywhere.
      .catch(() => "failed" as const)
      .finally(() => {
        batch = undefined;
      });
    return batch;
  }

  async function writeBatch(): Promise<"written" | "failed"> {
    const batch = waiting.slice(0, MAX_BATCH);
    try {
      await beforeStored(batch);
      await store.insert(batch);
    } catch (error) {
      meter.countFailed();
      log.error(
        { reason: getErrorMessage(error), waiting: waiting.length },
        "log entries not written",
      );
      return "failed";
    }
    waiting.splice(0, batch.length);
    writtenCount += batch.length;
    meter.countWritten(batch.length);
    if (dropped > 0) log.error({ dropped }, "log entries dropped: too many were waiting");
    dropped = 0;
    await pruneDenials(batch);
    await onStored(batch);
    return "written";
  }

  /**
   * Removes old denials at the first denial and after every 500 denials. A failure is only logged.
   */
  async function pruneDenials(written: readonly NewLogEntry[]): Promise<void> {
    uncheckedDenials += written.filter(({ type }) => type === DENIAL).length;
    if (uncheckedDenials < PRUNE_AFTER) return;
    uncheckedDenials = 0;
    try {
      const removed = await store.pruneType(DENIAL, MAX_KEPT_DENIALS, MAX_PRUNED);
      // More denials may remain, for example in an imported log.
      if (removed === MAX_PRUNED) uncheckedDenials = PRUNE_AFTER;
    } catch (error) {
      log.warn({ reason: getErrorMessage(error) }, "old log entries were not removed");
    }
  }

  function add(event: NewAuditEvent): void {
    const limit = event.type === DENIAL ? MAX_WAITING_DENIALS : MAX_WAITING_ENTRIES;
    if (waiting.length >= limit) {
      dropped += 1;
      meter.countDropped();
      return;
    }
    waiting.push(toLogEntry(event, clock));
    // The write waits one turn of the event loop, so that the response is sent before the disk
    // write, and entries of the same turn share one transaction.
    writing ??= turn().then(writeAll);
  }

  return {
    get waiting() {
      return waiting.length;
    },

    record(event) {
      for (const admitted of repeated.admit(event)) add(admitted);
    },

    sumUp() {
      for (const admitted of repeated.sumUp()) add(admitted);
    },

    async flush() {
      if (waiting.length === 0) return;
      const upTo = writtenCount + waiting.length;
      // A batch that is about to begin comes first.
      await turn();
      const late = pause(FLUSH_WITHIN_MS).then(() => "late");
      let last = "written";
      while (last === "written" && writtenCount < upTo)
        last = await Promise.race([writeNextBatch(), late]);
    },

    async close() {
      for (const admitted of repeated.sumUp()) add(admitted);
      closing.abort();
      await Promise.race([writing, pause(CLOSE_WITHIN_MS)]);
      const lost = waiting.length + dropped;
      if (lost > 0) log.error({ lost }, "log entries lost at the end");
    },
  };
}
