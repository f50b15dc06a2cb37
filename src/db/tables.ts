import { Fault } from "../core/base/fault.ts";
import type {
  AnsweredChallenge,
  Codes,
  Device,
  Handoff,
  Key,
  Link,
  LogEntry,
  Passkey,
  Session,
  StoredSetupToken,
  StoredUser,
  UsedName,
  UserId,
} from "./records.ts";

/** The name of a group. */
export const GROUP: RegExp = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** An index row of PostgreSQL cannot be longer than 2,704 bytes with its overhead. */
const MAX_INDEXED_BYTES = 2_600;

/**
 * The tables of a store, each column once. Schema, reading and writing in both databases, copies,
 * exports and imports derive from it. A column or table of a later schema has its number in `since`.
 */
export const tables: Tables = {
  users: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      username: { kind: "text", maxBytes: MAX_INDEXED_BYTES, unique: true },
      passwordHash: { kind: "text", maxBytes: 1_024, secret: true },
      sessionsFrom: { kind: "integer", optional: true },
      groups: { kind: "texts", maxBytes: 32, pattern: GROUP, optional: true },
      endsAt: { kind: "time", optional: true },
    },
    indexes: ["ends_at"],
  },
  sessions: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      userId: { kind: "user" },
      createdAt: { kind: "time" },
      usedAt: { kind: "time" },
      expiresAt: { kind: "time" },
      address: { kind: "text", maxBytes: 255 },
      device: { kind: "text", maxBytes: 255 },
      endedAt: { kind: "time", optional: true },
      host: { kind: "text", maxBytes: 255, optional: true },
    },
    indexes: ["user_id, used_at", "expires_at"],
  },
  handoffs: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      userId: { kind: "user" },
      host: { kind: "text", maxBytes: 255 },
      browser: { kind: "text", maxBytes: 255 },
      sessionId: { kind: "text", maxBytes: 255, optional: true },
      signedInAt: { kind: "time" },
      sessionsFrom: { kind: "integer" },
      factors: { kind: "integer" },
      endsAt: { kind: "time" },
      expiresAt: { kind: "time" },
    },
    indexes: ["user_id", "expires_at"],
  },
  passkeys: {
    columns: {
      id: { kind: "text", maxBytes: 1_400 },
      userId: { kind: "user" },
      name: { kind: "text", maxBytes: 255 },
      key: { kind: "text", maxBytes: 2_048 },
      counter: { kind: "integer" },
      addedAt: { kind: "time" },
      usedAt: { kind: "time", optional: true },
    },
    indexes: ["user_id"],
  },
  answers: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      userId: { kind: "user" },
      expiresAt: { kind: "time" },
    },
    indexes: ["user_id", "expires_at"],
  },
  codes: {
    columns: {
      userId: { kind: "user" },
      begun: { kind: "text", maxBytes: 255, optional: true },
      secret: { kind: "text", maxBytes: 255, optional: true },
      lastStep: { kind: "integer" },
      recovery: { kind: "texts", maxBytes: 1_024 },
      wrong: { kind: "integer" },
      renewals: { kind: "integer", optional: true },
    },
  },
  devices: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      userId: { kind: "user" },
      createdAt: { kind: "time" },
      expiresAt: { kind: "time" },
      device: { kind: "text", maxBytes: 255 },
      boundTo: { kind: "text", maxBytes: 255 },
    },
    indexes: ["user_id", "expires_at"],
  },
  links: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      tokenHash: { kind: "text", maxBytes: 255, unique: true },
      purpose: { kind: "text", maxBytes: 255 },
      userId: { kind: "user", optional: true },
      name: { kind: "text", maxBytes: 65_536, optional: true },
      groups: { kind: "texts", maxBytes: 32, pattern: GROUP, optional: true },
      endsAt: { kind: "time", optional: true },
      guestSeconds: { kind: "integer", optional: true },
      madeBy: { kind: "text", maxBytes: 65_536, optional: true },
      expiresAt: { kind: "time" },
      usesLeft: { kind: "integer" },
      makerId: { kind: "user", optional: true, since: 2 },
      makerValidUpTo: { kind: "integer", optional: true, since: 2 },
    },
    indexes: ["user_id", "expires_at"],
  },
  keys: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      userId: { kind: "user" },
      name: { kind: "text", maxBytes: 255 },
      hash: { kind: "text", maxBytes: 255, unique: true },
      hosts: { kind: "texts", maxBytes: 255, optional: true },
      createdAt: { kind: "time" },
      expiresAt: { kind: "time", optional: true },
      usedAt: { kind: "time", optional: true },
      factors: { kind: "integer", optional: true, since: 2 },
    },
    indexes: ["user_id"],
  },
  used_names: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      holder: { kind: "text", maxBytes: 255 },
      expiresAt: { kind: "time", optional: true },
    },
    indexes: ["expires_at"],
    since: 2,
  },
  setup_tokens: {
    columns: {
      id: { kind: "text", maxBytes: 255 },
      token: { kind: "text", maxBytes: 255 },
    },
    since: 2,
  },
  log: {
    columns: {
      id: { kind: "integer" },
      at: { kind: "time" },
      type: { kind: "text", maxBytes: 255 },
      summary: { kind: "text", maxBytes: 131_072 },
      author: { kind: "text", maxBytes: 255 },
      userId: { kind: "text", maxBytes: 255, optional: true },
      subject: { kind: "text", maxBytes: 65_536, optional: true },
      address: { kind: "text", maxBytes: 255, optional: true },
      device: { kind: "text", maxBytes: 255, optional: true },
    },
    indexes: ["at", "type, id", "user_id, id"],
  },
};

/** A table whose rows are `Row`s. The compiler checks that each field has a column of its kind. */
export interface Table<Row> extends AnyTable {
  readonly columns: { readonly [Field in keyof Row]-?: ColumnOf<Row[Field]> };
}

export interface AnyTable {
  /** The first one is the key. */
  readonly columns: Readonly<Record<string, Column>>;
  /** The columns of each index. */
  readonly indexes?: readonly string[];
  /** The schema that brought it. Default: 1. */
  readonly since?: number;
}

export interface Column {
  /**
   * `user` is the ID of the account to which the row belongs: it is removed with it, and exported
   * with it unless it is optional. `time` is in milliseconds since 1970. `texts` is a list of texts
   * without commas.
   */
  readonly kind: "text" | "texts" | "integer" | "time" | "user";
  readonly optional?: true;
  readonly unique?: true;
  /** Exports leave it out unless they are asked for hashes. */
  readonly secret?: true;
  /** The most that an import takes. */
  readonly maxBytes?: number;
  /** What an import requires of a text. */
  readonly pattern?: RegExp;
  /** The schema that brought it. Default: that of the table. */
  readonly since?: number;
}

type ColumnOf<T> = Column & {
  readonly kind: KindOf<NonNullable<T>>;
} & (undefined extends T ? { readonly optional: true } : { readonly optional?: never });

type KindOf<T> = T extends Date
  ? "time"
  : T extends number
    ? "integer"
    : T extends string
      ? "text" | "user"
      : "texts";

/** What a column of both databases holds. */
export type ColumnValue = string | number | null;

/** A row of a table: the values of its columns, in their order. */
export type Row = readonly ColumnValue[];

export type TableName = keyof Tables;

/** The fields of a table with their columns, in the one order of all statements. */
export const columnsOf = (table: AnyTable): readonly (readonly [field: string, Column])[] =>
  Object.entries(table.columns);

/** The name of a column: `password_hash` for `passwordHash`. */
export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The values of a record. An absent field is a null.
 *
 * @throws {Fault} `invalid_option` for a value of another type, which plain JavaScript can pass. As a
 *   null, an end would never come. Also for a text with a NUL, which PostgreSQL cannot store.
 */
export const rowOf = <T>(table: Table<T>, record: Partial<T>): Row =>
  columnsOf(table).map(([field, { kind }]) => {
    const value: unknown = record[field as keyof T] ?? null;
    const stored = value === null ? null : storedValue(kind, value);
    if (typeof stored === "string" && stored.includes("\0"))
      throw new Fault("invalid_option", `${field} contains a NUL character`);
    if (stored !== undefined) return stored;
    throw new Fault("invalid_option", `${field} has a value of the wrong type`);
  });

function storedValue(kind: Column["kind"], value: unknown): ColumnValue | undefined {
  switch (kind) {
    case "time":
      return value instanceof Date && !Number.isNaN(+value) ? timeOf(value) : undefined;
    case "texts":
      return Array.isArray(value) ? storedTexts(value) : undefined;
    case "integer":
      return Number.isSafeInteger(value) ? Number(value) : undefined;
    default:
      return typeof value === "string" ? value : undefined;
  }
}

/** A list of texts without commas as one text, in which each is found by `,text,`. */
export const storedTexts = (texts: readonly string[]): string =>
  [",", ...texts.map((text) => `${text},`)].join("");

export const textsFrom = (text: string): readonly string[] => text.split(",").slice(1, -1);

/** @throws {RangeError} for an invalid date, which would be stored as null. */
export const timeOf = (at: Date): number => Date.parse(at.toISOString());

interface Tables {
  readonly users: Table<StoredUser>;
  readonly sessions: Table<StoredSession>;
  readonly handoffs: Table<Handoff>;
  readonly passkeys: Table<Passkey>;
  readonly answers: Table<AnsweredChallenge>;
  readonly codes: Table<StoredCodes>;
  readonly devices: Table<Device>;
  readonly links: Table<Link>;
  readonly keys: Table<Key>;
  readonly used_names: Table<UsedName>;
  readonly setup_tokens: Table<StoredSetupToken>;
  readonly log: Table<LogEntry>;
}

/** Those that have ended stay until they expire. */
export interface StoredSession extends Session {
  readonly endedAt?: Date;
}

/** Codes with the mark of a begun enrolment. Without a secret, they are off. */
export interface StoredCodes extends Omit<Codes, "secret">, Partial<Pick<Codes, "secret">> {
  readonly userId: UserId;
  readonly begun?: string;
}
