import { alarmingEvents, eventKinds, eventTypes } from "../../audit/events.ts";
import type { LogEntry, User, UserId } from "../../db/records.ts";
import type { ActivityEntry } from "../../pages/page-data.ts";
import { formatDevice, formatTime, getWords, type Locale, shortenText } from "../../pages/words.ts";
import type { Apps } from "../apps/app-directory.ts";

const aboutApps: readonly string[] = eventKinds.get("apps") ?? [];

interface EntryContext {
  /** The reader is not named as the author of an entry. */
  readonly reader?: User | undefined;
  /** With usernames by their IDs, entries say whom they concern. */
  readonly usernames?: ReadonlyMap<UserId, string> | undefined;
  /** Entries name these apps. The log has their IDs. */
  readonly apps?: Pick<Apps, "find"> | undefined;
}

/**
 * Formats log entries in the reader's language. Equal neighbours become one entry with their
 * number, so that a program that repeats itself does not hide what else happened.
 */
export function formatEntries(
  locale: Locale,
  entries: readonly LogEntry[],
  context: EntryContext = {},
): readonly ActivityEntry[] {
  const formatted: (ActivityEntry & { count: number })[] = [];
  for (const entry of entries) {
    const next = formatEntry(locale, entry, context);
    const last = formatted.at(-1);
    if (last !== undefined && isEqual(last, next)) last.count += 1;
    else formatted.push({ ...next, count: 1 });
  }
  return formatted;
}

type EntryText = Omit<ActivityEntry, "count">;

const isEqual = (first: EntryText, second: EntryText): boolean =>
  first.text === second.text &&
  first.details.join() === second.details.join() &&
  first.person?.id === second.person?.id;

function formatEntry(
  locale: Locale,
  entry: LogEntry,
  { reader, usernames, apps }: EntryContext,
): EntryText {
  const { author, type, userId, subject, address = "", device = "", at } = entry;
  const username = userId && usernames?.get(userId);
  const admin = author === "system" ? "" : author.replace(/^admin /, "");
  const by = admin === "" || admin === reader?.username ? "" : getWords(locale).by(admin);
  // Of an entry about an app, the sentence does not name the person.
  const who = username === undefined || username === subject ? "" : username;
  const details = [who, by, device && formatDevice(locale, device), address]
    .filter((piece) => piece !== "")
    .map(shortenText);
  return {
    text: formatActivity(locale, entry, apps),
    details,
    isAlarming: alarmingEvents.has(type),
    ...(userId && username && { person: { id: userId, username: shortenText(username) } }),
    ...formatTime(locale, at),
  };
}

/** Returns the sentence of a log entry. An entry of an unknown type keeps its summary. */
function formatActivity(
  locale: Locale,
  { type, summary, subject, address }: LogEntry,
  apps: EntryContext["apps"],
): string {
  const { events } = getWords(locale);
  const eventType = eventTypes.find((candidate) => candidate === type);
  if (eventType === undefined) return shortenText(summary);
  const app = aboutApps.includes(type) ? apps?.find(subject ?? "") : undefined;
  const name = shortenText(app?.name ?? subject ?? address ?? "");
  switch (eventType) {
    case "link_make":
    case "link_revoke":
      return events[eventType](formatLink(locale, name));
    case "repeated":
      return events[eventType](formatRepeated(locale, name));
    default:
      return events[eventType](name);
  }
}

/** Says what a link is for. The log also has the ID of the link. */
function formatLink(locale: Locale, text: string): string {
  const { invitation, invitationFor, guestLinkFor, newPasswordFor } = getWords(locale);
  const [, purpose, name = ""] =
    /^[0-9a-f]{16} (invite|guest|reset(?:-codes-off)?)(?: (.*))?$/s.exec(text) ?? [];
  switch (purpose) {
    case undefined:
      return text;
    case "invite":
      return name === "" ? invitation : invitationFor(name);
    case "guest":
      return guestLinkFor(name);
    default:
      return newPasswordFor(name);
  }
}

/** Says how many entries of which kind were left out. The log has their type. */
function formatRepeated(locale: Locale, text: string): string {
  const { activityKinds } = getWords(locale);
  const [, count, type = ""] = /^(\d+) × (\w+)$/.exec(text) ?? [];
  const [kind] =
    [...eventKinds].find(([name, types]) => name !== "warnings" && types.includes(type)) ?? [];
  return kind === undefined ? text : `${count} × ${activityKinds[kind]}`;
}
