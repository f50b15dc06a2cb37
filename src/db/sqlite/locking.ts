import { setTimeout as sleep } from "node:timers/promises";
import { getErrorMessage, STORE_BUSY, Unavailable } from "../../lib/fault.ts";

/** SQLite returns these primary result codes when another connection holds a lock. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
/** SQLite returns these primary result codes when it cannot write or open a file. */
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;
/** SQLite returns these primary result codes when a disk fails or is full. */
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const PRIMARY_CODE = 0xff;

const GIVE_UP_AFTER_MS = 5_000;
const MAX_PAUSE_MS = 50;

/**
 * Retries while another connection has locked the database. SQLite's own busy timeout would block
 * the event loop, and with it every request.
 *
 * @param wait Returns what to wait for before a try, or `undefined` when `work` may run now.
 */
export async function retryWhileBusy<T>(
  work: () => T,
  wait: () => Promise<void> | undefined = () => undefined,
): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    for (let before = wait(); before !== undefined; before = wait()) await before;
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > giveUpAt) {
        throw new Unavailable(STORE_BUSY, "the database is locked by another process", 2, {
          cause: error,
        });
      }
    }
    // The pause is random, so that processes waiting for the same lock do not retry in step.
    await sleep(pause * (0.5 + Math.random()));
  }
}

/** Returns whether a username, an ID or another unique value already exists. */
export const isTaken = (error: unknown): boolean =>
  getErrorMessage(error).startsWith("UNIQUE constraint failed");

export function isBusy(error: unknown): boolean {
  const code = getPrimaryCode(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

/** Returns whether SQLite could not open or write the file, for any reason. */
export function isFileError(error: unknown): boolean {
  const code = getPrimaryCode(error);
  return code === SQLITE_READONLY || code === SQLITE_CANTOPEN;
}

/** Returns whether the disk failed or is full. SQLite does not always distinguish the two. */
export function isDiskError(error: unknown): boolean {
  const code = getPrimaryCode(error);
  return code === SQLITE_IOERR || code === SQLITE_FULL;
}

function getPrimaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & PRIMARY_CODE;
}
