import { alarmingEvents, eventTypes } from "../../audit/events.ts";
import type { LogEntry, User } from "../../db/records.ts";
import type { ActivityEntry } from "../../pages/page-data.ts";
import { formatDevice, formatTime, getWords, type Locale, shortenText } from "../../pages/words.ts";

/**
 * Formats log entries in the reader's language. Equal neighbours become one entry with their
 * number, so that a program that repeats itself does not hide what else happened.
 *
 * @param reader is not named as the author of an entry.
 */
export function formatEntries(
  locale: Locale,
  entries: readonly LogEntry[],
  reader?: User,
): readonly ActivityEntry[] {
  const formatted: (ActivityEntry & { count: number })[] = [];
  for (const entry of entries) {
    const next = formatEntry(locale, entry, reader);
    const last = formatted.at(-1);
    if (last !== undefined && last.text === next.text && last.detail === next.detail) {
      last.count += 1;
    } else {
      formatted.push({ ...next, count: 1 });
    }
  }
  return formatted;
}

function formatEntry(
  locale: Locale,
  entry: LogEntry,
  reader: User | undefined,
): Omit<ActivityEntry, "count"> {
  const { author, type, address = "", device = "", at } = entry;
  const admin = author === "system" ? "" : author.replace(/^admin /, "");
  const by = admin === "" || admin === reader?.username ? "" : getWords(locale).by(admin);
  const detail = [by, device && formatDevice(locale, device), address]
    .filter((piece) => piece !== "")
    .map(shortenText)
    .join(" · ");
  return {
    text: formatActivity(locale, entry),
    detail,
    isAlarming: alarmingEvents.has(type),
    ...formatTime(locale, at),
  };
}

/** Returns the sentence of a log entry. An entry of an unknown type keeps its summary. */
function formatActivity(locale: Locale, { type, summary, subject, address }: LogEntry): string {
  const { events } = getWords(locale);
  const eventType = eventTypes.find((candidate) => candidate === type);
  if (eventType === undefined) return shortenText(summary);
  return events[eventType](shortenText(subject ?? address ?? ""));
}
