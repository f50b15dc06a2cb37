import { clientNetwork } from "./requester.ts";
import type { ServerLog } from "./server-log.ts";

/** A refused request, as the server log names it. */
export type Refusal =
  | "sign-in rejected"
  | "sign-in rate-limited"
  | "password change rejected"
  | "change of one-time codes rejected"
  | "passkey change rejected"
  | "setup rejected"
  | "form of another site refused"
  | "unreadable form refused"
  | "forged session token refused";

/** As many as fail2ban needs for a ban. An IPv6 /64 counts as one address. */
const MAX_LINES_PER_ADDRESS = 10;
/** With the sums, at most 551 lines a minute, so that a flood cannot fill the disk. */
const MAX_ADDRESSES = 50;

/** The interval at which `sumUp` must be called. */
export const SUM_UP_EVERY_MS = 60_000;

/** Writes refused requests to the server log: the first of each address and minute, then sums. */
export interface RefusalLog {
  /** Logs no entered value, because users may confuse the fields. */
  note(refusal: Refusal, address: string): void;
  /** Writes how many refusals of each address had no line, and begins the next minute. */
  sumUp(): void;
}

export function createRefusalLog(log: ServerLog): RefusalLog {
  const counts = new Map<string, number>();
  let others = 0;

  return {
    note(refusal, address) {
      const network = clientNetwork(address);
      const count = counts.get(network) ?? 0;
      if (count === 0 && counts.size >= MAX_ADDRESSES) {
        others += 1;
        return;
      }
      counts.set(network, count + 1);
      if (count < MAX_LINES_PER_ADDRESS) log.warn({ address }, refusal);
    },

    sumUp() {
      for (const [address, count] of counts) sum(address, count - MAX_LINES_PER_ADDRESS);
      sum("others", others);
      counts.clear();
      others = 0;
    },
  };

  function sum(address: string, more: number): void {
    if (more > 0) log.warn({ address, more }, "more requests refused within a minute");
  }
}
