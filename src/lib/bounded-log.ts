import { getClientNetwork } from "./client.ts";
import type { ServerLog } from "./server-log.ts";

/**
 * The limit applies to the full lines of each address and of each message. fail2ban needs this many
 * lines for a ban.
 */
const MAX_LINES = 10;
/**
 * The limit applies to addresses with full lines, and to messages with full lines. An IPv6 /64
 * counts as one address.
 */
const MAX_KEYS = 50;

/** `sumUp` must be called at this interval. */
export const SUM_UP_EVERY_MS = 60_000;

/**
 * Writes the lines that requests can cause to the server log, with a bound, so that no client can
 * fill a disk. Lines with the field `address` are counted by address, all others by message.
 */
export interface BoundedLog extends ServerLog {
  /** Writes how many lines were left out, and starts the next minute. */
  sumUp(): void;
}

/** @param log must not throw. */
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

/** Counts lines by key. Lines of keys beyond `MAX_KEYS` are counted together as `others`. */
function createCounts() {
  const counts = new Map<string, Sum>();

  return {
    /** Counts a line, and returns whether to write it. */
    add(key: string, level: Level): boolean {
      const hasOwnCount = counts.has(key) || counts.size < MAX_KEYS;
      const countedKey = hasOwnCount ? key : "others";
      const { more } = counts.get(countedKey) ?? { more: hasOwnCount ? -MAX_LINES : 0 };
      counts.set(countedKey, { more: more + 1, level: hasOwnCount ? level : "warn" });
      return more < 0;
    },
    /** Returns the numbers of lines that were not written, and resets all counts. */
    take(): readonly (readonly [key: string, Sum])[] {
      const sums = [...counts].filter(([, { more }]) => more > 0);
      counts.clear();
      return sums;
    },
  };
}
