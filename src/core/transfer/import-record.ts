import { randomUUID } from "node:crypto";
import { judgeHash } from "../password-cost.ts";
import type { NewLogEntry, PasswordHash, StoredUser, UserId } from "../store.ts";

/** A line of a file, by field names as `fieldName` writes them. CSV has texts only, and no absence. */
export type ImportFields = ReadonlyMap<string, unknown>;

export type ImportRecord =
  | { readonly kind: "user"; readonly user: StoredUser }
  | { readonly kind: "entry"; readonly entry: NewLogEntry }
  | { readonly kind: "refused"; readonly reason: string };

/** What a form can carry at most; past that, nobody could ever sign in under the name. */
const LONGEST_TEXT = 65_536;
/** IDs travel in every cookie. */
const LONGEST_ID = 255;
const LONGEST_HASH = 1_024;

/** `password_hash`, `PasswordHash` and `Password_Hash` are one name. */
export const fieldName = (name: string): string => name.replaceAll("_", "").toLowerCase();

/** Reasons never repeat what stands in the line: it may be a hash in the wrong place. */
export function recordIn(fields: ImportFields): ImportRecord {
  try {
    if (!fields.has("action")) return { kind: "user", user: userIn(fields) };
    if (!fields.has("passwordhash")) return { kind: "entry", entry: entryIn(fields) };
    return refused("it is a user and a log record at once");
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message);
    throw error;
  }
}

class Refusal extends Error {}

const refused = (reason: string): ImportRecord => ({ kind: "refused", reason });

function userIn(fields: ImportFields): StoredUser {
  const username = textOf(fields, "username", "username", LONGEST_TEXT);
  const hash = textOf(fields, "passwordhash", "password_hash", LONGEST_HASH);
  const verdict = judgeHash(hash);
  if (verdict === "unknown") throw new Refusal("the password_hash is of no kind that is known");
  if (verdict === "too-costly") {
    throw new Refusal("the password_hash would take too much memory or time to verify");
  }
  const sessionsFrom = secondIn(fields.get("sessionsfrom"));
  return {
    id: idIn(fields) as UserId,
    username,
    passwordHash: hash as PasswordHash,
    ...(sessionsFrom === undefined ? {} : { sessionsFrom }),
  };
}

function idIn(fields: ImportFields): string {
  const id = fields.get("id");
  if (isAbsent(id)) return randomUUID();
  if (typeof id === "number" && Number.isSafeInteger(id)) return String(id);
  return textOf(fields, "id", "id", LONGEST_ID);
}

/** Seconds since 1970, as an export writes them for users whose sessions were ended. */
function secondIn(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  const second = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof second === "number" && Number.isSafeInteger(second) && second >= 0) return second;
  throw new Refusal("sessions_from takes seconds since 1970");
}

/** The older variant of the service had these four, with the same texts and no author. */
const actions: readonly string[] = ["signin", "signin_rate_limited", "signup", "password_change"];

function entryIn(fields: ImportFields): NewLogEntry {
  const action = textOf(fields, "action", "Action", LONGEST_TEXT);
  if (!actions.includes(action)) throw new Refusal("the Action is none that is known");
  const summary = textOf(fields, "detail", "Detail", LONGEST_TEXT);
  return { at: timeIn(fields), type: action, summary, author: "system" };
}

function timeIn(fields: ImportFields): Date {
  const given = ["at", "time", "createdat"].filter((name) => !isAbsent(fields.get(name)));
  const [name] = given;
  if (name === undefined) throw new Refusal("there is no time (at, Time or created_at)");
  if (given.length > 1) throw new Refusal("there is more than one time");
  const at = parseTime(fields.get(name));
  if (at === undefined) throw new Refusal("the time is neither ISO 8601 nor Unix");
  return at;
}

/** Below that, a number means seconds: as milliseconds, it would be in 1973 or before. */
const LEAST_MILLISECONDS = 100_000_000_000;

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Without a zone it is UTC, on whatever machine it is read. */
export function parseTime(value: unknown): Date | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  if (/^\d{1,15}(\.\d+)?$/.test(text)) {
    const number = Number(text);
    return dateOf(number < LEAST_MILLISECONDS ? number * 1_000 : number);
  }
  const [, day, time = "00:00", fraction = "", zone = "Z"] = ISO.exec(text) ?? [];
  // JavaScript would take 30 February for a day in March.
  if (day === undefined || !isDay(day)) return undefined;
  return dateOf(Date.parse(`${day}T${time.length === 5 ? `${time}:00` : time}${fraction}${zone}`));
}

const isDay = (day: string): boolean =>
  dateOf(Date.parse(`${day}T00:00Z`))
    ?.toISOString()
    .startsWith(day) === true;

/** The end of the year 9999: past it, not every database can store a time. */
const LAST = Date.UTC(10_000, 0) - 1;

const dateOf = (milliseconds: number): Date | undefined =>
  milliseconds <= LAST ? new Date(Math.floor(milliseconds)) : undefined;

function textOf(fields: ImportFields, name: string, shown: string, longest: number): string {
  const text = fields.get(name);
  if (isAbsent(text)) throw new Refusal(`there is no ${shown}`);
  if (typeof text !== "string") throw new Refusal(`the ${shown} is no text`);
  if (text.includes("\0")) throw new Refusal(`the ${shown} has a NUL`);
  if (!text.isWellFormed()) throw new Refusal(`the ${shown} is no valid Unicode`);
  if (Buffer.byteLength(text) > longest) {
    throw new Refusal(`the ${shown} is longer than ${longest} bytes`);
  }
  return text;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";
