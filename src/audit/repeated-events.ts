import type { Clock } from "../lib/clock.ts";
import { createAuditEvent, type NewAuditEvent } from "./events.ts";

/**
 * The limit applies to events of one type, from one account, within a minute. People cause far
 * fewer.
 */
const MAX_REPEATED = 30;
const MINUTE_MS = 60_000;

interface Repeated {
  readonly since: number;
  readonly first: NewAuditEvent;
  readonly count: number;
}

/** Prevents an account from filling the disk with entries of the audit log. */
export interface RepeatedEvents {
  /**
   * Returns the events to record: the sum of an earlier minute, if any, and this event, unless it
   * exceeds the limit.
   */
  admit(event: NewAuditEvent): readonly NewAuditEvent[];
  /** Returns the sums of the events that exceeded the limit, and starts the next minute. */
  sumUp(): readonly NewAuditEvent[];
}

export function createRepeatedEvents(clock: Pick<Clock, "monotonic">): RepeatedEvents {
  const all = new Map<string, Repeated>();

  return {
    admit(event) {
      const account = getAccount(event);
      if (account === undefined) return [event];
      const key = `${event.type} ${account}`;
      const now = clock.monotonic();
      const earlier = all.get(key);
      const isOver = earlier === undefined || now - earlier.since >= MINUTE_MS;
      const { since, first, count } = isOver ? { since: now, first: event, count: 0 } : earlier;
      all.set(key, { since, first, count: count + 1 });
      const sums = earlier !== undefined && isOver ? summarize(earlier) : [];
      return count < MAX_REPEATED ? [...sums, event] : sums;
    },

    sumUp() {
      const sums = [...all.values()].flatMap(summarize);
      all.clear();
      return sums;
    },
  };
}

/**
 * Returns the account that causes an event. Sign-ins that the rate limiter denies belong to no
 * account; their total number is limited instead.
 */
const getAccount = ({ author, userId }: NewAuditEvent): string | undefined =>
  author === "system" ? userId : author;

function summarize({ first: { type, author, userId }, count }: Repeated): readonly NewAuditEvent[] {
  if (count <= MAX_REPEATED) return [];
  const event = createAuditEvent("repeated", { name: `${count - MAX_REPEATED} × ${type}` });
  // The entries of an administrator concern several accounts.
  const concerned = author === "system" && userId !== undefined ? { userId } : {};
  return [{ ...event, ...concerned, author }];
}
