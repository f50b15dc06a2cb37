import { setTimeout as sleep } from "node:timers/promises";
import { Unavailable } from "../../core/fault.ts";

/** SQLite's primary result codes for a lock that somebody else holds. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
/** And for a file that it may not write to, or not open. */
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;
const PRIMARY_CODE = 0xff;

const GIVE_UP_AFTER_MS = 5_000;
const LONGEST_PAUSE_MS = 50;

/**
 * Tries again for as long as the database is locked elsewhere. SQLite's own waiting would block the
 * event loop, and with it every guard; here the loop goes on between the tries.
 */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > giveUpAt) {
        throw new Unavailable("store_busy", "the database is locked by another process", 2, {
          cause: error,
        });
      }
    }
    // Spread out, so that processes that wait for the same lock do not keep meeting each other.
    await sleep(pause * (0.5 + Math.random()));
  }
}

export function isBusy(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

/** Whether SQLite could not do what it wanted to with a file, for whatever reason. */
export function isBarred(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === SQLITE_READONLY || code === SQLITE_CANTOPEN;
}

function primaryCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & PRIMARY_CODE;
}
