import { Fault } from "../lib/fault.ts";
import type { LinkPurpose, PasswordHash, UserId } from "./values.ts";

/** The name of a group. */
export const GROUP: RegExp = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** An index row of PostgreSQL cannot be longer than 2,704 bytes with its overhead. */
const MAX_INDEXED_BYTES = 2_600;

type Limits = Omit<Column, "kind" | "optional" | "valueType">;

const text = <Value extends string = string>(limits: Limits): Column<Value> => ({
  kind: "text",
  ...limits,
});

/** A list of texts without commas. */
const texts = (limits: Limits): Column<readonly string[]> => ({ kind: "texts", ...limits });

const integer = (limits: Limits = {}): Column<number> => ({ kind: "integer", ...limits });

/** In milliseconds since 1970. */
const time = (limits: Limits = {}): Column<Date> => ({ kind: "time", ...limits });

/**
 * The ID of the account to which the row belongs: it is removed with it, and exported with it unless
 * it is optional.
 */
const user = (limits: Limits = {}): Column<UserId> => ({ kind: "user", ...limits });

/** Records without a value have no such field. */
const optional = <Value>(column: Column<Value>): OptionalColumn<Value> => ({
  ...column,
  optional: true,
});

/**
 * The tables of a store, each column once. Schema, reading and writing in both databases, copies,
 * exports and imports derive from it. A column or table of a later schema has its number in `since`.
 */
export const tables = {
  users: {
    columns: {
      /** Assigned by the store when the user is inserted, and carried in session tokens. */
      id: text<UserId>({ maxBytes: 255 }),
      username: text({ maxBytes: MAX_INDEXED_BYTES, unique: true }),
      /** That of a guest is `NO_PASSWORD`. */
      passwordHash: text<PasswordHash>({ maxBytes: 1_024, secret: true }),
      /**
       * Seconds since 1970: sessions from earlier sign-ins have ended. Grows each time sessions are
       * ended. Absent for most users.
       */
      sessionsFrom: optional(integer()),
      groups: optional(texts({ maxBytes: 32, pattern: GROUP })),
      /** From then on, the account is as if it were removed. */
      endsAt: optional(time()),
    },
    indexes: ["ends_at"],
  },
  sessions: {
    columns: {
      id: text({ maxBytes: 255 }),
      userId: user(),
      createdAt: time(),
      usedAt: time(),
      expiresAt: time(),
      address: text({ maxBytes: 255 }),
      device: text({ maxBytes: 255 }),
      endedAt: optional(time()),
      host: optional(text({ maxBytes: 255 })),
    },
    indexes: ["user_id, used_at", "expires_at"],
  },
  handoffs: {
    columns: {
      /** The SHA-256 of its code, in base64url. */
      id: text({ maxBytes: 255 }),
      userId: user(),
      /** The only host that accepts it. */
      host: text({ maxBytes: 255 }),
      /** The SHA-256 of the cookie of the browser that began. */
      browser: text({ maxBytes: 255 }),
      /** Of the session at the sign-in, as are the next four. The new session ends with them. */
      sessionId: optional(text({ maxBytes: 255 })),
      signedInAt: time(),
      sessionsFrom: integer(),
      factors: integer(),
      endsAt: time(),
      expiresAt: time(),
    },
    indexes: ["user_id", "expires_at"],
  },
  passkeys: {
    columns: {
      id: text({ maxBytes: 1_400 }),
      userId: user(),
      name: text({ maxBytes: 255 }),
      key: text({ maxBytes: 2_048 }),
      counter: integer(),
      addedAt: time(),
      usedAt: optional(time()),
    },
    indexes: ["user_id"],
  },
  answers: {
    columns: {
      /** The nonce of the challenge. */
      id: text({ maxBytes: 255 }),
      userId: user(),
      expiresAt: time(),
    },
    indexes: ["user_id", "expires_at"],
  },
  codes: {
    columns: {
      userId: user(),
      begun: optional(text({ maxBytes: 255 })),
      /** Sealed. */
      secret: optional(text({ maxBytes: 255 })),
      /** Codes of this step and of earlier ones are used up. */
      lastStep: integer(),
      /** Hashes of the unused recovery codes, without commas. */
      recovery: texts({ maxBytes: 1_024 }),
      /** Wrong codes since the last right one. */
      wrong: integer(),
      /** How often the recovery codes were replaced. Absent: never. */
      renewals: optional(integer()),
    },
  },
  devices: {
    columns: {
      id: text({ maxBytes: 255 }),
      userId: user(),
      createdAt: time(),
      expiresAt: time(),
      device: text({ maxBytes: 255 }),
      boundTo: text({ maxBytes: 255 }),
    },
    indexes: ["user_id", "expires_at"],
  },
  links: {
    columns: {
      id: text({ maxBytes: 255 }),
      tokenHash: text({ maxBytes: 255, unique: true }),
      purpose: text<LinkPurpose>({ maxBytes: 255 }),
      userId: optional(user()),
      name: optional(text({ maxBytes: 65_536 })),
      groups: optional(texts({ maxBytes: 32, pattern: GROUP })),
      endsAt: optional(time()),
      guestSeconds: optional(integer()),
      madeBy: optional(text({ maxBytes: 65_536 })),
      expiresAt: time(),
      usesLeft: integer(),
      makerId: optional(user({ since: 2 })),
      makerValidUpTo: optional(integer({ since: 2 })),
    },
    indexes: ["user_id", "expires_at"],
  },
  keys: {
    columns: {
      id: text({ maxBytes: 255 }),
      userId: user(),
      name: text({ maxBytes: 255 }),
      hash: text({ maxBytes: 255, unique: true }),
      hosts: optional(texts({ maxBytes: 255 })),
      createdAt: time(),
      expiresAt: optional(time()),
      usedAt: optional(time()),
      factors: optional(integer({ since: 2 })),
    },
    indexes: ["user_id"],
  },
  used_names: {
    columns: {
      /** Its `nameKeyOf`. */
      id: text({ maxBytes: 255 }),
      /** The account that has had it first. It may be gone. */
      holder: text<UserId>({ maxBytes: 255 }),
      /** When others can have it: only for the name of a guest. */
      expiresAt: optional(time()),
    },
    indexes: ["expires_at"],
    since: 2,
  },
  setup_tokens: {
    columns: {
      id: text<"setup">({ maxBytes: 255 }),
      token: text({ maxBytes: 255 }),
    },
    since: 2,
  },
  log: {
    columns: {
      id: integer(),
      at: time(),
      type: text({ maxBytes: 255 }),
      summary: text({ maxBytes: 131_072 }),
      author: text({ maxBytes: 255 }),
      userId: optional(text<UserId>({ maxBytes: 255 })),
      subject: optional(text({ maxBytes: 65_536 })),
      address: optional(text({ maxBytes: 255 })),
      device: optional(text({ maxBytes: 255 })),
    },
    indexes: ["at", "type, id", "user_id, id"],
  },
} satisfies Readonly<Record<string, AnyTable>>;

export interface AnyTable {
  /** The first one is the key. */
  readonly columns: Readonly<Record<string, Column>>;
  /** The columns of each index. */
  readonly indexes?: readonly string[];
  /** The schema that brought it. Default: 1. */
  readonly since?: number;
}

/** A column whose values in a record are of this type. */
export interface Column<Value = unknown> {
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
  /** For the compiler alone: no column has it. */
  readonly valueType?: Value;
}

interface OptionalColumn<Value = unknown> extends Column<Value> {
  readonly optional: true;
}

/** The type of the values of a column. */
export type ValueOf<C extends Column> = NonNullable<C["valueType"]>;

/** The names of the columns that a record can lack. */
export type OptionalField<T extends AnyTable> = {
  [Field in keyof T["columns"]]: T["columns"][Field] extends OptionalColumn ? Field : never;
}[keyof T["columns"]];

/** A record of a table. */
export type RecordOf<T extends AnyTable> = {
  readonly [Field in Exclude<keyof T["columns"], OptionalField<T>>]: ValueOf<T["columns"][Field]>;
} & { readonly [Field in OptionalField<T>]?: ValueOf<T["columns"][Field]> };

/** A record none of whose fields lacks a column, which would lose it. */
export type Storable<T extends AnyTable, Written> = Written &
  Readonly<Record<Exclude<keyof Written, keyof T["columns"]>, never>>;

/** What a column of both databases holds. */
export type ColumnValue = string | number | null;

/** A row of a table: the values of its columns, in their order. */
export type Row = readonly ColumnValue[];

export type TableName = keyof typeof tables;

/** The fields of a table with their columns, in the one order of all statements. */
export const listColumns = (table: AnyTable): readonly (readonly [field: string, Column])[] =>
  Object.entries(table.columns);

/** The name of a column: `password_hash` for `passwordHash`. */
export const toColumnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The values of a record. An absent field is a null.
 *
 * @throws {Fault} `invalid_option` for a value of another type, which plain JavaScript can pass. As a
 *   null, an end would never come. Also for a text with a NUL, which PostgreSQL cannot store.
 */
export const toRowValues = <T extends AnyTable, Written extends Partial<RecordOf<T>>>(
  table: T,
  record: Storable<T, Written>,
): Row =>
  listColumns(table).map(([field, { kind }]) => {
    const value: unknown = record[field as keyof Written] ?? null;
    const stored = value === null ? null : toColumnValue(kind, value);
    if (typeof stored === "string" && stored.includes("\0"))
      throw new Fault("invalid_option", `${field} contains a NUL character`);
    if (stored !== undefined) return stored;
    throw new Fault("invalid_option", `${field} has a value of the wrong type`);
  });

function toColumnValue(kind: Column["kind"], value: unknown): ColumnValue | undefined {
  switch (kind) {
    case "time":
      return value instanceof Date && !Number.isNaN(+value) ? toTime(value) : undefined;
    case "texts":
      return Array.isArray(value) ? joinTexts(value) : undefined;
    case "integer":
      return Number.isSafeInteger(value) ? Number(value) : undefined;
    default:
      return typeof value === "string" ? value : undefined;
  }
}

/** A list of texts without commas as one text, in which each is found by `,text,`. */
export const joinTexts = (texts: readonly string[]): string =>
  [",", ...texts.map((text) => `${text},`)].join("");

export const splitTexts = (text: string): readonly string[] => text.split(",").slice(1, -1);

/** @throws {RangeError} for an invalid date, which would be stored as null. */
export const toTime = (at: Date): number => Date.parse(at.toISOString());
