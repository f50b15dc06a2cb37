import { eventTypes } from "../../audit/events.ts";
import type { LogEntry } from "../../db/records.ts";
import type { ActivityEntry } from "../../pages/page-data.ts";
import { formatTime, getWords, type Locale } from "../../pages/words.ts";

/** Formats a log entry in the reader's language. An entry of an unknown type keeps its summary. */
export function formatActivity(locale: Locale, entry: LogEntry): ActivityEntry {
  const { type, summary, subject, address, at } = entry;
  const { events } = getWords(locale);
  const eventType = eventTypes.find((candidate) => candidate === type);
  const text = eventType === undefined ? summary : events[eventType](subject ?? address ?? "");
  return { text, ...formatTime(locale, at) };
}
