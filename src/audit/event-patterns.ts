import { findNearest } from "../lib/find-nearest.ts";
import { type EventType, eventTypes } from "./events.ts";

/** Stands for all events that refuse a sign-in. */
export const SIGNIN_REFUSED = "signin_refused";

/** Lists the events that refuse a sign-in. A client that tries again causes them again. */
export const refusals: ReadonlySet<string> = new Set<EventType>([
  "signin_rate_limited",
  "code_rejected",
  "codes_locked",
  "app_refused",
]);

/** Somebody new gets in, an account changes its power or ends, or something is wrong. */
export const DEFAULT_PATTERNS = [
  ...["signup", "user_add", "user_import", "link_use", "user_groups", "user_remove"],
  ...[SIGNIN_REFUSED, "factors_off", "message_lost"],
].join(", ");

/** Contains the events that patterns match, or the first pattern that matches none. */
export type EventSelection =
  | { readonly kind: "events"; readonly events: readonly EventType[] }
  | {
      readonly kind: "no-match";
      readonly pattern: string;
      readonly suggestion: string | undefined;
    }
  | { readonly kind: "invalid" };

/**
 * Selects events by patterns with commas between them, such as `user.*,signin_refused`. A `*` is any
 * text, and `.` and `_` are the same.
 */
export function selectEvents(text: string): EventSelection {
  const selected = new Set<EventType>();
  for (const pattern of text.split(",").map((piece) => piece.trim())) {
    if (!/^[a-z._*]+$/.test(pattern)) return { kind: "invalid" };
    const events = matchEvents(pattern.replaceAll(".", "_"));
    if (events.length === 0)
      return { kind: "no-match", pattern, suggestion: suggestEvent(pattern) };
    for (const type of events) selected.add(type);
  }
  return { kind: "events", events: eventTypes.filter((type) => selected.has(type)) };
}

function matchEvents(pattern: string): readonly EventType[] {
  if (pattern === SIGNIN_REFUSED) return eventTypes.filter((type) => refusals.has(type));
  // Several stars in a row would make the expression slow.
  const expression = new RegExp(`^${pattern.replace(/\*+/g, ".*")}$`);
  return eventTypes.filter((type) => expression.test(type));
}

const suggestEvent = (pattern: string): string | undefined =>
  findNearest([...eventTypes, SIGNIN_REFUSED], pattern.replaceAll(".", "_"));
