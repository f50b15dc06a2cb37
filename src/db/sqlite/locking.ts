import { setTimeout as sleep } from "node:timers/promises";
import { getErrorMessage, STORE_BUSY, Unavailable } from "../../lib/fault.ts";

/** SQLite's primary result codes for a lock that another connection holds. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
/** SQLite's primary result codes for a file that it cannot write or open. */
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;
/** SQLite's primary result codes for a disk that fails or is full. */
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const PRIMARY_CODE = 0xff;

const GIVE_UP_AFTER_MS = 5_000;
const MAX_PAUSE_MS = 50;

/**
 * Retries while another connection has locked the database. SQLite's own busy timeout would block
 * the event loop, and with it every guard.
 *
 * @param wait What to wait for before a try; `undefined` when `work` may run now.
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
    // Randomised, so that processes waiting for the same lock do not retry in step.
    await sleep(pause * (0.5 + Math.random()));
  }
}

/** Whether a username or an ID is already in use. */
export const isTaken = (error: unknown): boolean =>
  getErrorMessage(error).startsWith("UNIQUE constraint failed");

export function isBusy(error: unknown): boolean {
  const code = getPrimaryCode(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

/** Whether SQLite could not open or write the file, for any reason. */
export function isFileError(error: unknown): boolean {
  const code = getPrimaryCode(error);
  return code === SQLITE_READONLY || code === SQLITE_CANTOPEN;
}

/** Whether the disk failed or is full. SQLite does not always tell which. */
export function isDiskError(error: unknown): boolean {
  const code = getPrimaryCode(error);
  return code === SQLITE_IOERR || code === SQLITE_FULL;
}

function getPrimaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & PRIMARY_CODE;
}
