import { randomUUID } from "node:crypto";
import {
  NO_PASSWORD,
  type Profile,
  toConsentId,
  toIdentityId,
  UNSET_PASSWORD,
  type UserId,
} from "../../db/records.ts";
import {
  type ColumnValue,
  joinTexts,
  listColumns,
  type NumberColumn,
  type Row,
  type TableName,
  type TextColumn,
  tables,
  toColumnName,
  toRowValues,
} from "../../db/tables.ts";
import type { Rows } from "../../db/transfer-store.ts";
import { judgeHash, toPhcString } from "../../identity/password-cost.ts";
import { isUsableEmail } from "../../lib/email.ts";
import { tryCall } from "../../lib/fault.ts";
import { isObject } from "../../lib/json.ts";
import { isUsableName } from "../../lib/names.ts";
import { isLocale } from "../../pages/words.ts";
import { exportedTables } from "./transfer.ts";

/**
 * Contains the fields of a line by `normalizeFieldName`. In CSV, all values are strings and none is
 * absent.
 */
export type ImportFields = ReadonlyMap<string, unknown>;

/** Contains a user with the rows of every table that belong to the user. */
export interface ImportedUser {
  readonly id: UserId;
  /** The value is true if the line has an ID, for which session tokens may exist. */
  readonly isKnown: boolean;
  readonly username: string;
  readonly rows: readonly Rows[];
  /** The line says that this address, in lower case, belongs to the user. */
  readonly verifiedEmail: string | undefined;
  /** Says what was left out, without repeating it. */
  readonly notes: readonly string[];
}

/**
 * Equals the end of the year 9999 in milliseconds, because some programs cannot read a later time.
 */
const MAX_TIME = Date.UTC(10_000, 0) - 1;

/** Normalizes a name: `password_hash`, `PasswordHash` and `Password_Hash` are the same name. */
export const normalizeFieldName = (name: string): string => name.replaceAll("_", "").toLowerCase();

/**
 * Returns the user of a line, or a text that explains why there is none. The text never repeats
 * content, which may be a hash in the wrong field.
 */
export const parseRecord = (fields: ImportFields): ImportedUser | string =>
  catchUnusable(() => parseUser(fields));

/** Says why a line cannot be imported. */
export class UnusableField extends Error {}

/** Returns the message of an `UnusableField` that `parse` throws. */
export function catchUnusable<T>(parse: () => T): T | string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UnusableField) return error.message;
    throw error;
  }
}

/** Removes the base64 padding `=`, which some systems write in an argon2 hash. */
const removePadding = (hash: string): string =>
  hash.startsWith("$argon2") ? hash.replace(/=+(?=\$|$)/g, "") : hash;

function parseUser(fields: ImportFields): ImportedUser {
  const idField = fields.get("id");
  const isNumber = Number.isSafeInteger(idField);
  const id = isAbsent(idField) ? randomUUID() : isNumber ? String(idField) : idField;
  const hashField = fields.get("passwordhash");
  // Who signs in with another provider may have no password.
  const lacksPassword = isAbsent(hashField) && !isAbsent(fields.get("identities"));
  const given = lacksPassword ? UNSET_PASSWORD : hashField;
  const hash = typeof given === "string" ? removePadding(toPhcString(given)) : given;
  const row = parseRow(
    "users",
    new Map([...fields, ["id", id], ["passwordhash", hash]]),
    undefined,
  );
  if (hash === NO_PASSWORD && isAbsent(fields.get("endsat"))) {
    throw new UnusableField("a guest needs ends_at");
  }
  const isWithout = hash === NO_PASSWORD || hash === UNSET_PASSWORD;
  const verdict = isWithout ? "usable" : judgeHash(String(hash));
  if (verdict === "unknown") throw new UnusableField("unknown password_hash format");
  if (verdict === "too-costly") {
    throw new UnusableField("the password_hash would take too much memory or time to verify");
  }
  const userId = String(id) as UserId;
  const { profile, notes } = hash === NO_PASSWORD ? NO_PROFILE : parseProfile(fields, userId);
  const owned = exportedTables.map((table) => ({
    table,
    rows:
      table === "profiles" ? toProfileRows(userId, profile) : parseOwnedRows(table, fields, userId),
  }));
  return {
    id: userId,
    isKnown: !isAbsent(idField),
    username: String(fields.get("username")),
    rows: [{ table: "users", rows: [row] }, ...owned.filter(({ rows }) => rows.length > 0)],
    verifiedEmail: profile.verifiedEmail,
    notes,
  };
}

type ImportedProfile = Omit<Profile, "id" | "userId">;

/** A guest has no profile. */
const NO_PROFILE = { profile: {} as ImportedProfile, notes: [] } as const;

const toProfileRows = (id: UserId, profile: ImportedProfile): readonly Row[] =>
  Object.keys(profile).length === 0
    ? []
    : [toRowValues(tables.profiles, { id, userId: id, ...profile })];

/**
 * Parses the name and the address: as an export writes them, or as other systems do. The rules are
 * those of `user set`, and what breaks them is left out: nobody loses an account for it.
 */
function parseProfile(
  fields: ImportFields,
  userId: UserId,
): { readonly profile: ImportedProfile; readonly notes: readonly string[] } {
  const notes: string[] = [];
  function takeText(
    value: unknown,
    isUsable: (text: string) => boolean,
    problem: string,
  ): string | undefined {
    const text = typeof value === "string" ? value.trim() : value;
    if (isAbsent(text)) return undefined;
    if (typeof text === "string" && isUsable(text)) return text;
    notes.push(`${problem}, so it was left out`);
    return undefined;
  }
  const [nameField, emailField, isVerified, locale] = readOwnProfile(fields, userId) ?? [
    fields.get("displayname") ?? fields.get("name"),
    fields.get("email"),
    isTrue(fields.get("emailverified")),
    undefined,
  ];
  const name = takeText(nameField, isUsableName, UNUSABLE_NAME);
  const email = takeText(emailField, isUsableEmail, UNUSABLE_EMAIL);
  const profile = {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(email !== undefined && isVerified && { verifiedEmail: email.toLowerCase() }),
    ...(typeof locale === "string" && isLocale(locale) && { locale }),
  };
  return { profile, notes };
}

const UNUSABLE_NAME =
  "the display name has more than 255 bytes, control characters or is not a text";
const UNUSABLE_EMAIL = "the e-mail address has another form than alice@example.org";

/**
 * Reads the profile as an export writes it: name, address, whether the address is verified, and the
 * language.
 */
function readOwnProfile(
  fields: ImportFields,
  userId: UserId,
): readonly [unknown, unknown, boolean, unknown] | undefined {
  const rows = parseRows("profiles", fields.get("profiles"), { id: userId }, userId);
  if (rows.length > 1) throw new UnusableField("profiles has more than one profile");
  const [row] = rows;
  if (row === undefined) return undefined;
  const values = new Map(listColumns(tables.profiles).map(([name], at) => [name, row[at]]));
  const isVerified = !isAbsent(values.get("verifiedEmail"));
  return [values.get("name"), values.get("email"), isVerified, values.get("locale")];
}

/** Returns whether another system says yes. Anything else, such as a date, does not count. */
const isTrue = (value: unknown): boolean =>
  [true, 1, "1", "t", "true", "TRUE", "yes"].some((yes) => yes === value);

/** Parses the rows of one table that belong to the user. */
function parseOwnedRows(table: TableName, fields: ImportFields, userId: UserId): readonly Row[] {
  const field = fields.get(normalizeFieldName(table));
  if (table === "identities") return parseIdentities(field, userId);
  const rows = parseRows(table, field, {}, userId);
  if (table !== "consents") return rows;
  // The ID of a consent contains the ID of the user, which is new if the line has none.
  const appId = Object.keys(tables.consents.columns).indexOf("appId");
  return rows.map((row) => row.with(0, toConsentId(String(row[appId]), userId)));
}

/**
 * Parses linked accounts of other providers. The ID follows from issuer and subject, so a line cannot
 * claim another ID, and other systems need not know how to make one.
 */
function parseIdentities(field: unknown, userId: UserId): readonly Row[] {
  const completed = parseItems(field).map((item) => {
    const given = parseFields(item);
    const [issuer, subject] = ["issuer", "subject"].map((name) =>
      checkText(name, given.get(name), REQUIRED_TEXT),
    );
    if (!issuer || !subject) throw new UnusableField("identities need an issuer and a subject");
    return Object.fromEntries([
      ["addedat", 0],
      ...[...given].filter(([, value]) => !isAbsent(value)),
      ["id", toIdentityId(issuer, subject)],
    ]);
  });
  return parseRows("identities", completed, {}, userId);
}

/** A line break could make two pairs of issuer and subject look the same. */
const REQUIRED_TEXT: TextColumn = { kind: "text", maxBytes: 2_048, pattern: /^[^\r\n]*$/ };

/**
 * Parses the rows of one table as an export writes them: as JSON, or as JSON in a text.
 *
 * @param owner The fields that the export leaves out, since their owner contains the rows.
 */
export function parseRows(
  table: TableName,
  field: unknown,
  owner: Readonly<Record<string, string>>,
  userId?: UserId,
): readonly Row[] {
  const items = parseItems(field);
  try {
    return items.map((item) =>
      parseRow(table, new Map([...parseFields(item), ...Object.entries(owner)]), userId),
    );
  } catch (error) {
    if (!(error instanceof UnusableField)) throw error;
    throw new UnusableField(`${table} must be as an export writes them: ${error.message}`);
  }
}

/** Parses a list of rows, or a single one: as JSON, or as JSON in a text. */
function parseItems(field: unknown): readonly unknown[] {
  if (isAbsent(field)) return [];
  const value = typeof field === "string" ? parseJson(field) : field;
  return Array.isArray(value) ? value : [value];
}

const parseJson = (text: string): unknown => tryCall(() => JSON.parse(text));

function parseFields(value: unknown): ImportFields {
  if (!isObject(value)) throw new UnusableField("one is not an object");
  return new Map(Object.entries(value).map(([name, field]) => [normalizeFieldName(name), field]));
}

const parseRow = (table: TableName, fields: ImportFields, userId: UserId | undefined): Row =>
  listColumns(tables[table]).map(([field, column]) =>
    column.kind === "user"
      ? (userId ?? null)
      : parseValue(toColumnName(field), column, fields.get(normalizeFieldName(field))),
  );

function parseValue(name: string, column: TextColumn | NumberColumn, value: unknown): ColumnValue {
  const { optional } = column;
  const isMissing =
    value === undefined || value === null || (value === "" && REQUIRED.includes(name));
  if (isMissing || (value === "" && optional === true)) {
    if (optional === true) return null;
    throw new UnusableField(`${name} is missing`);
  }
  switch (column.kind) {
    case "integer":
    case "time":
      return parseNumber(name, column.kind, value);
    case "texts": {
      const list = typeof value === "string" ? parseList(value) : value;
      if (!Array.isArray(list) || list.some((item) => String(item).includes(","))) {
        throw new UnusableField(`${name} must be a list of texts without commas`);
      }
      return joinTexts(list.map((item) => checkText(name, item, column)));
    }
    case "text":
      return checkText(name, value, column);
  }
}

/** Parses a list in a CSV cell: JSON, as an export writes it, or texts separated by commas. */
const parseList = (text: string): unknown =>
  text.startsWith("[") ? parseJson(text) : text.split(",");

/** Lists the fields whose text must not be empty. */
const REQUIRED = ["id", "username", "password_hash"];

function parseNumber(name: string, kind: "integer" | "time", value: unknown): number {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  const isValid = typeof number === "number" && Number.isSafeInteger(number) && number >= 0;
  if (isValid && (kind === "integer" || number <= MAX_TIME)) return number;
  const unit = kind === "time" ? "milliseconds since 1970" : "a whole number";
  const expected = name === "sessions_from" ? "seconds since 1970" : unit;
  throw new UnusableField(`${name} must be ${expected}`);
}

function checkText(name: string, text: unknown, { maxBytes, pattern }: TextColumn): string {
  if (typeof text !== "string") throw new UnusableField(`${name} must be a string`);
  if (text.includes("\0")) throw new UnusableField(`${name} contains a NUL character`);
  if (!text.isWellFormed()) throw new UnusableField(`${name} is not valid Unicode`);
  if (Buffer.byteLength(text) > maxBytes) {
    throw new UnusableField(`${name} is longer than ${maxBytes} bytes`);
  }
  if (pattern?.test(text) === false) throw new UnusableField(`${name} has an unusable text`);
  return text;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === "";
