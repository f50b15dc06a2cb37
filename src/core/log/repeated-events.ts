import type { Clock } from "../base/clock.ts";
import { type Event, eventOf } from "./events.ts";

/** Of one type, from one account, within a minute. Far more than people cause. */
const MAX_REPEATED = 30;
const MINUTE_MS = 60_000;

interface Repeated {
  readonly since: number;
  readonly first: Event;
  readonly count: number;
}

/** Keeps an account from filling the disk with entries of the audit log. */
export interface RepeatedEvents {
  /** The events to record: this one, unless it is one too many, after the sum of a minute before. */
  admit(event: Event): readonly Event[];
  /** The sums of events that were not admitted. Begins the next minute. */
  sumUp(): readonly Event[];
}

export function createRepeatedEvents(clock: Pick<Clock, "monotonic">): RepeatedEvents {
  const all = new Map<string, Repeated>();

  return {
    admit(event) {
      const account = accountOf(event);
      if (account === undefined) return [event];
      const key = `${event.type} ${account}`;
      const now = clock.monotonic();
      const found = all.get(key);
      const isOver = found === undefined || now - found.since >= MINUTE_MS;
      const { since, first, count } = isOver ? { since: now, first: event, count: 0 } : found;
      all.set(key, { since, first, count: count + 1 });
      const before = found !== undefined && isOver ? sumOf(found) : [];
      return count < MAX_REPEATED ? [...before, event] : before;
    },

    sumUp() {
      const sums = [...all.values()].flatMap(sumOf);
      all.clear();
      return sums;
    },
  };
}

/** Who causes it. Sign-ins that the rate limiter denies are of no account, and bounded by number. */
const accountOf = ({ author, userId }: Event): string | undefined =>
  author === "system" ? userId : author;

function sumOf({ first: { type, author, userId }, count }: Repeated): readonly Event[] {
  if (count <= MAX_REPEATED) return [];
  const event = eventOf("repeated", { name: `${count - MAX_REPEATED} × ${type}` });
  // The entries of an administrator concern several accounts.
  const concerned = author === "system" && userId !== undefined ? { userId } : {};
  return [{ ...event, ...concerned, author }];
}
