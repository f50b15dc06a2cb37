import type { Clock } from "../lib/clock.ts";
import { createAuditEvent, type NewAuditEvent } from "./events.ts";

/** Of one type, from one account, within a minute. Far more than people cause. */
const MAX_REPEATED = 30;
const MINUTE_MS = 60_000;

interface Repeated {
  readonly since: number;
  readonly first: NewAuditEvent;
  readonly count: number;
}

/** Keeps an account from filling the disk with entries of the audit log. */
export interface RepeatedEvents {
  /** The events to record: this one, unless it is one too many, after the sum of a minute before. */
  admit(event: NewAuditEvent): readonly NewAuditEvent[];
  /** The sums of events that were not admitted. Begins the next minute. */
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

/** Who causes it. Sign-ins that the rate limiter denies are of no account, and bounded by number. */
const getAccount = ({ author, userId }: NewAuditEvent): string | undefined =>
  author === "system" ? userId : author;

function summarize({ first: { type, author, userId }, count }: Repeated): readonly NewAuditEvent[] {
  if (count <= MAX_REPEATED) return [];
  const event = createAuditEvent("repeated", { name: `${count - MAX_REPEATED} × ${type}` });
  // The entries of an administrator concern several accounts.
  const concerned = author === "system" && userId !== undefined ? { userId } : {};
  return [{ ...event, ...concerned, author }];
}
