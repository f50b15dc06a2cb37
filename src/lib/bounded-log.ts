import { getClientNetwork } from "./client.ts";
import type { ServerLog } from "./server-log.ts";

/** In full, of each address and of each message. As many as fail2ban needs for a ban. */
const MAX_LINES = 10;
/** Addresses with full lines, and messages with full lines. An IPv6 /64 counts as one address. */
const MAX_KEYS = 50;

/** The interval at which `sumUp` must be called. */
export const SUM_UP_EVERY_MS = 60_000;

/**
 * The server log of everything that a request can cause, bounded so that no client can fill a disk.
 * Lines with the field `address` are counted by address, all others by message.
 */
export interface BoundedLog extends ServerLog {
  /** Writes how many lines were left out, and begins the next minute. */
  sumUp(): void;
}

/** @param log does not throw. */
export function createBoundedLog(log: ServerLog): BoundedLog {
  const byAddress = createCounts();
  const byMessage = createCounts();

  const createWriter = (level: Level) => (fields: object, message: string) => {
    const isWritten =
      "address" in fields && typeof fields.address === "string"
        ? byAddress.add(getClientNetwork(fields.address), level)
        : byMessage.add(message, level);
    if (isWritten) log[level](fields, message);
  };

  return {
    warn: createWriter("warn"),
    error: createWriter("error"),
    sumUp() {
      const addresses = byAddress.take();
      const messages = byMessage.take();
      for (const [address, { more, level }] of addresses)
        log[level]({ address, more }, "more requests refused within a minute");
      for (const [message, { more, level }] of messages)
        log[level]({ of: message, more }, "more lines of one kind within a minute");
    },
  };
}

type Level = keyof ServerLog;
type Sum = { readonly more: number; readonly level: Level };

/** Counts lines by key, and those of all further keys as `others`. */
function createCounts() {
  const counts = new Map<string, Sum>();

  return {
    /** Whether the line is written. */
    add(key: string, level: Level): boolean {
      const hasOwnCount = counts.has(key) || counts.size < MAX_KEYS;
      const countedKey = hasOwnCount ? key : "others";
      const { more } = counts.get(countedKey) ?? { more: hasOwnCount ? -MAX_LINES : 0 };
      counts.set(countedKey, { more: more + 1, level: hasOwnCount ? level : "warn" });
      return more < 0;
    },
    /** The numbers of lines that were not written, which begin again. */
    take(): readonly (readonly [key: string, Sum])[] {
      const sums = [...counts].filter(([, { more }]) => more > 0);
      counts.clear();
      return sums;
    },
  };
}
