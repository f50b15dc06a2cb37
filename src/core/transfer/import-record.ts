import { randomUUID } from "node:crypto";
import { judgeHash } from "../passwords/password-cost.ts";
import {
  EXTRAS,
  type Extra,
  type PasswordHash,
  type StoredUser,
  type TransferUser,
  type UserId,
} from "../store.ts";
import { parseSessionRows } from "./session-rows.ts";

/** The fields of a line by `fieldName`. In CSV, all values are strings and none is absent. */
export type ImportFields = ReadonlyMap<string, unknown>;

type ImportRecord =
  | { readonly kind: "user"; readonly user: TransferUser }
  | { readonly kind: "refused"; readonly reason: string };

/** The maximum size of a form: a longer username could never sign in. */
const MAX_TEXT_BYTES = 65_536;
/** IDs are part of every session cookie. */
const MAX_ID_BYTES = 255;
const MAX_HASH_BYTES = 1_024;
/** More than 20 passkeys with the longest IDs, keys, names and lists of answers have. */
const MAX_EXTRA_BYTES = 131_072;
const MAX_SESSIONS_BYTES = 1_048_576;

/** `password_hash`, `PasswordHash` and `Password_Hash` are the same name. */
export const fieldName = (name: string): string => name.replaceAll("_", "").toLowerCase();

/** Reasons never repeat content of the line, which may be a hash in the wrong field. */
export function parseRecord(fields: ImportFields): ImportRecord {
  try {
    return { kind: "user", user: userIn(fields) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", reason: error.message };
    throw error;
  }
}

class Refusal extends Error {}

function userIn(fields: ImportFields): TransferUser {
  const username = textOf(fields, "username", "username", MAX_TEXT_BYTES);
  const hash = textOf(fields, "passwordhash", "password_hash", MAX_HASH_BYTES);
  const verdict = judgeHash(hash);
  if (verdict === "unknown") throw new Refusal("unknown password_hash format");
  if (verdict === "too-costly") {
    throw new Refusal("the password_hash would take too much memory or time to verify");
  }
  const sessionsFrom = secondIn(fields.get("sessionsfrom"));
  return {
    id: idIn(fields) as UserId,
    username,
    passwordHash: hash as PasswordHash,
    ...(sessionsFrom === undefined ? {} : { sessionsFrom }),
    ...extrasIn(fields),
    ...sessionsIn(fields),
  };
}

/** As an export writes them. Only the rules that own them know whether a text can be read. */
function extrasIn(fields: ImportFields): Pick<StoredUser, Extra> {
  const extras = EXTRAS.filter((extra) => !isAbsent(fields.get(extra.toLowerCase())));
  return Object.fromEntries(
    extras.map((extra) => [extra, textOf(fields, extra.toLowerCase(), extra, MAX_EXTRA_BYTES)]),
  );
}

function sessionsIn(fields: ImportFields): Pick<TransferUser, "sessions"> {
  if (isAbsent(fields.get("sessions"))) return {};
  const rows = parseSessionRows(textOf(fields, "sessions", "sessions", MAX_SESSIONS_BYTES));
  if (rows !== undefined) return { sessions: JSON.stringify(rows) };
  throw new Refusal("sessions must be a list of sessions as an export writes it");
}

function idIn(fields: ImportFields): string {
  const id = fields.get("id");
  if (isAbsent(id)) return randomUUID();
  if (typeof id === "number" && Number.isSafeInteger(id)) return String(id);
  return textOf(fields, "id", "id", MAX_ID_BYTES);
}

/** Seconds since 1970, as an export writes them for users whose sessions were ended. */
function secondIn(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  const second = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof second === "number" && Number.isSafeInteger(second) && second >= 0) return second;
  throw new Refusal("sessions_from must be seconds since 1970");
}

function textOf(fields: ImportFields, name: string, shown: string, maxBytes: number): string {
  const text = fields.get(name);
  if (isAbsent(text)) throw new Refusal(`${shown} is missing`);
  if (typeof text !== "string") throw new Refusal(`${shown} must be a string`);
  if (text.includes("\0")) throw new Refusal(`${shown} contains a NUL character`);
  if (!text.isWellFormed()) throw new Refusal(`${shown} is not valid Unicode`);
  if (Buffer.byteLength(text) > maxBytes) {
    throw new Refusal(`${shown} is longer than ${maxBytes} bytes`);
  }
  return text;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";
