import { Fault } from "../lib/fault.ts";
import type {
  ClientType,
  DeliveryKind,
  KeyAlgorithm,
  LinkPurpose,
  PasswordHash,
  SigningAlgorithm,
  UserId,
} from "./values.ts";

/** Matches the name of a group. */
export const GROUP: RegExp = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Matches the ID of an app. The page for a new app has the path of an app with the ID `new`. */
export const APP_ID: RegExp = /^(?!new$)[a-z0-9][a-z0-9-]{0,62}$/;

/** An index row of PostgreSQL cannot be longer than 2,704 bytes with its overhead. */
const MAX_INDEXED_BYTES = 2_600;

type Limits<C extends Column> = Omit<C, "kind" | "optional" | "secret" | "valueType">;

const text = <Value extends string = string>(limits: Limits<TextColumn>): TextColumn<Value> => ({
  kind: "text",
  ...limits,
});

/** Defines a column that holds a list of texts without commas. */
const texts = (limits: Limits<TextColumn>): TextColumn<readonly string[]> => ({
  kind: "texts",
  ...limits,
});

const integer = (limits: Limits<NumberColumn> = {}): NumberColumn<number> => ({
  kind: "integer",
  ...limits,
});

/** Defines a column that holds a time in milliseconds since 1970. */
const time = (limits: Limits<NumberColumn> = {}): NumberColumn<Date> => ({
  kind: "time",
  ...limits,
});

/**
 * Defines a column that holds the ID of the account that owns the row. The row is removed with the
 * account, and exported with it unless the column is optional.
 */
const user = (limits: Limits<UserColumn> = {}): UserColumn<UserId> => ({
  kind: "user",
  ...limits,
});

/** Makes a column optional: a record without a value lacks the field. */
const optional = <C extends Column>(column: C): C & { readonly optional: true } => ({
  ...column,
  optional: true,
});

/** Makes a column secret: exports leave it out unless hashes are requested, and apps never have it. */
const secret = <C extends Column>(column: C): C & { readonly secret: true } => ({
  ...column,
  secret: true,
});

/**
 * Declares each table and column of a store once. The schema, reading and writing in both
 * databases, copies, exports and imports derive from this declaration. A column or table of a later
 * schema has the number of that schema in `since`.
 */
export const tables = {
  users: {
    columns: {
      /** The store assigns the ID when the user is inserted, and session tokens contain it. */
      id: text<UserId>({ maxBytes: 255 }),
      username: text({ maxBytes: MAX_INDEXED_BYTES, unique: true }),
      /** The hash of a guest is `NO_PASSWORD`. */
      passwordHash: secret(text<PasswordHash>({ maxBytes: 1_024 })),
      /**
       * The time is in seconds since 1970. Sessions from earlier sign-ins have ended. The value
       * grows each time sessions are ended, and is absent for most users.
       */
      sessionsFrom: optional(integer()),
      groups: optional(texts({ maxBytes: 32, pattern: GROUP })),
      /** After this time, the account counts as removed. */
      endsAt: optional(time()),
    },
    indexes: ["ends_at"],
  },
  profiles: {
    columns: {
      /** The ID is the ID of the account. */
      id: text<UserId>({ maxBytes: 255 }),
      userId: user(),
      name: optional(text({ maxBytes: 255 })),
      email: optional(text({ maxBytes: 254 })),
      /** The value is the e-mail address in lower case, if it is verified: one account has it. */
      verifiedEmail: optional(text({ maxBytes: 254, unique: true })),
      /** Messages to the person are in this language. */
      locale: optional(text({ maxBytes: 35 })),
    },
    indexes: ["user_id"],
    since: 3,
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
      /** The ID is the SHA-256 of the handoff code, in base64url. */
      id: text({ maxBytes: 255 }),
      userId: user(),
      /** Only this host accepts the handoff. */
      host: text({ maxBytes: 255 }),
      /** The value is the SHA-256 of a cookie of the browser that started the handoff. */
      browser: text({ maxBytes: 255 }),
      /**
       * This field and the next four describe the session at the sign-in. The new session ends with
       * that session.
       */
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
  identities: {
    columns: {
      /** The ID is the SHA-256 of issuer and subject: an identity belongs to one account. */
      id: text({ maxBytes: 255 }),
      userId: user(),
      /** The operator has given the provider this name. */
      provider: text({ maxBytes: 63 }),
      issuer: text({ maxBytes: 2_048 }),
      subject: text({ maxBytes: 1_024 }),
      /** The person recognizes the account at the provider by this text. */
      label: optional(text({ maxBytes: 255 })),
      addedAt: time(),
      usedAt: optional(time()),
    },
    indexes: ["user_id"],
    since: 3,
  },
  answers: {
    columns: {
      /** The ID is the nonce of the challenge. */
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
      /** The secret is sealed. */
      secret: optional(text({ maxBytes: 255 })),
      /** Codes of this step and of earlier steps are used up. */
      lastStep: integer(),
      /** The list contains the hashes of the unused recovery codes, without commas. */
      recovery: texts({ maxBytes: 1_024 }),
      /** The value counts the wrong codes since the last right code. */
      wrong: integer(),
      /**
       * The value counts how often the recovery codes were replaced. It is absent if they were
       * never replaced.
       */
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
      apps: optional(texts({ maxBytes: 63, pattern: APP_ID, since: 3 })),
      /** Whoever uses the link has received it at this e-mail address. */
      email: optional(text({ maxBytes: 254, since: 3 })),
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
  sign_ups: {
    columns: {
      id: text({ maxBytes: 255 }),
      /** Says who asks: an identity at a provider, or an address. */
      asker: text({ maxBytes: 300, unique: true }),
      username: text({ maxBytes: 255 }),
      /** The hash is `UNSET_PASSWORD` for a person who signs in with another provider. */
      passwordHash: secret(text<PasswordHash>({ maxBytes: 1_024 })),
      /** The value is the JSON of what is known about the person. */
      facts: text({ maxBytes: 16_384 }),
      createdAt: time(),
      /** Without a decision, the request is forgotten at this time. */
      expiresAt: time(),
    },
    indexes: ["created_at", "expires_at"],
    since: 3,
  },
  used_names: {
    columns: {
      /** The ID is the `nameKeyOf` the name. */
      id: text({ maxBytes: 255 }),
      /** This account had the name first. The account may no longer exist. */
      holder: text<UserId>({ maxBytes: 255 }),
      /** Other accounts can have the name after this time. Only the name of a guest has a value. */
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
  apps: {
    columns: {
      /** The ID is also the client ID for OpenID Connect. */
      id: text({ maxBytes: 63, pattern: APP_ID }),
      name: text({ maxBytes: 255 }),
      section: optional(text({ maxBytes: 255 })),
      /** People open the app at this URL. Forward auth finds the app by its host. */
      url: optional(text({ maxBytes: 2_048 })),
      /** A reverse proxy forwards to this address. */
      upstream: optional(text({ maxBytes: 2_048 })),
      /** Only members of one of these groups may open the app. */
      groups: optional(texts({ maxBytes: 32, pattern: GROUP })),
      /** The value is 2 if the app requires a second factor. */
      factors: optional(integer()),
      /** The app speaks OpenID Connect if it has a type. A public client has no secret. */
      clientType: optional(text<ClientType>({ maxBytes: 32 })),
      /** The list contains redirect URIs, with a space between them. */
      redirects: optional(text({ maxBytes: 65_536 })),
      /** The list contains the URIs to which a sign-out can return, with a space between them. */
      signOutRedirects: optional(text({ maxBytes: 65_536 })),
      /** The app learns at this URL that a session has ended. */
      backchannelUrl: optional(text({ maxBytes: 2_048 })),
      /** The value is 1 if each person must agree before the app learns who they are. */
      consent: optional(integer()),
      /** ID tokens for the app are signed with this algorithm. The default is RS256. */
      signing: optional(text<SigningAlgorithm>({ maxBytes: 32 })),
      /** The value is 1 if the app is turned off: it keeps its settings, and nobody may open it. */
      off: optional(integer()),
      createdAt: time(),
    },
    since: 3,
  },
  app_secrets: {
    columns: {
      id: text({ maxBytes: 255 }),
      appId: text({ maxBytes: 63, pattern: APP_ID }),
      /** The value is the SHA-256 of the secret, in base64url. */
      hash: secret(text({ maxBytes: 255, unique: true })),
      /** Administrators recognize the secret by its last four characters. */
      ending: optional(text({ maxBytes: 4 })),
      createdAt: time(),
    },
    indexes: ["app_id"],
    since: 3,
  },
  app_icons: {
    columns: {
      /** The ID is the ID of the app with `/light` or `/dark`. */
      id: text({ maxBytes: 255 }),
      type: text({ maxBytes: 255 }),
      /** The value is the image in base64. */
      body: text({ maxBytes: 1_048_576 }),
    },
    since: 3,
  },
  consents: {
    columns: {
      /** The ID is the ID of the app and the ID of the user. */
      id: text({ maxBytes: 511 }),
      userId: user(),
      appId: text({ maxBytes: 63, pattern: APP_ID }),
      /** The list contains the scopes that the person has agreed to, with a space between them. */
      scopes: text({ maxBytes: 2_048 }),
      createdAt: time(),
    },
    indexes: ["user_id", "app_id"],
    since: 3,
  },
  app_uses: {
    columns: {
      /** The ID is the ID of the app and the ID of the user. */
      id: text({ maxBytes: 511 }),
      userId: user(),
      appId: text({ maxBytes: 63, pattern: APP_ID }),
      /** The person has last opened the app at this time, from this device. */
      openedAt: optional(time()),
      device: optional(text({ maxBytes: 255 })),
      /** The list contains the last days on which the person has opened the app, and how often. */
      days: optional(text({ maxBytes: 255 })),
      /** The app has last been refused to the person at this time. */
      refusedAt: optional(time()),
      /** The app was refused because it asked for this redirect URI. */
      refusedUri: optional(text({ maxBytes: 2_048 })),
    },
    indexes: ["user_id", "app_id, opened_at", "app_id, refused_at"],
    since: 3,
  },
  grants: {
    columns: {
      id: text({ maxBytes: 255 }),
      userId: user(),
      appId: text({ maxBytes: 63, pattern: APP_ID }),
      /** The grant ends with this session, unless it is an offline grant. */
      sessionId: optional(text({ maxBytes: 255 })),
      /** The app knows the session by this ID, which the claim `sid` contains. */
      sid: text({ maxBytes: 255 }),
      /** The grant ends once the `sessionsFrom` of the account is greater than this value. */
      validUpTo: integer(),
      factors: integer(),
      /** The value is 1 for a grant that outlives the session of the browser. */
      offline: optional(integer()),
      /** The value is the JSON of what the app may learn. */
      content: text({ maxBytes: 65_536 }),
      createdAt: time(),
      expiresAt: time(),
    },
    indexes: ["user_id", "app_id", "session_id", "expires_at"],
    since: 3,
  },
  tokens: {
    columns: {
      /** The ID is the SHA-256 of the kind and the text of the token, in base64url. */
      id: text({ maxBytes: 255 }),
      kind: text({ maxBytes: 255 }),
      grantId: optional(text({ maxBytes: 255 })),
      /** The value is the SHA-256 of the code that a person enters for a device. */
      userCode: optional(text({ maxBytes: 255 })),
      /** The value is the JSON of the token, without its text. */
      content: text({ maxBytes: 65_536 }),
      consumedAt: optional(time()),
      expiresAt: time(),
    },
    indexes: ["grant_id", "user_code", "expires_at"],
    since: 3,
  },
  sign_outs: {
    columns: {
      /** The ID is the ID of the grant whose end the app must learn. */
      id: text({ maxBytes: 255 }),
      appId: text({ maxBytes: 63, pattern: APP_ID }),
      /** The account may no longer exist. */
      userId: text<UserId>({ maxBytes: 255 }),
      /** The app knows the session by this ID. */
      sid: text({ maxBytes: 255 }),
      /** The URL is copied from the app, which may no longer exist. */
      url: text({ maxBytes: 2_048 }),
      /** The grant ended at this time. It is absent while the grant is valid. */
      endedAt: optional(time()),
      /** The next request is due at this time. It is absent once no request will follow. */
      dueAt: optional(time()),
      tries: integer(),
      acknowledgedAt: optional(time()),
      /** Says why the last request failed. */
      problem: optional(text({ maxBytes: 1_024 })),
      expiresAt: time(),
    },
    indexes: ["app_id", "user_id", "due_at", "expires_at"],
    since: 3,
  },
  outbox: {
    columns: {
      id: text({ maxBytes: 255 }),
      kind: text<DeliveryKind>({ maxBytes: 32 }),
      /** The account may no longer exist. */
      userId: optional(text<UserId>({ maxBytes: 255 })),
      /** The value is the JSON of what is sent, sealed. It is absent once nothing more is sent. */
      content: optional(secret(text({ maxBytes: 131_072 }))),
      createdAt: time(),
      /** The next attempt is due at this time. It is absent once no attempt will follow. */
      dueAt: optional(time()),
      tries: integer(),
      sentAt: optional(time()),
      /** Says why the last attempt failed. */
      problem: optional(text({ maxBytes: 1_024 })),
      /** No attempt follows after this time, and the row is removed. */
      expiresAt: time(),
    },
    indexes: ["due_at", "expires_at"],
    since: 3,
  },
  signing_keys: {
    columns: {
      /** The ID is the claim `kid`. */
      id: text({ maxBytes: 255 }),
      algorithm: text<KeyAlgorithm>({ maxBytes: 32 }),
      /** The value is the private key as JSON, sealed. */
      sealed: secret(text({ maxBytes: 16_384 })),
      createdAt: time(),
      /** Another key signs from this time on. */
      replacedAt: optional(time()),
    },
    since: 3,
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
  /** The first column is the key. */
  readonly columns: Readonly<Record<string, Column>>;
  /** Each entry lists the columns of one index. */
  readonly indexes?: readonly string[];
  /** This schema added the table. The default is 1. */
  readonly since?: number;
}

/** Describes a column whose values in a record have the type `Value`. */
export type Column<Value = unknown> = TextColumn<Value> | NumberColumn<Value> | UserColumn<Value>;

export interface TextColumn<Value = unknown> extends AnyColumn<Value> {
  readonly kind: "text" | "texts";
  /** An import accepts at most this many bytes for each text. */
  readonly maxBytes: number;
  /** An import requires that a text matches this pattern. */
  readonly pattern?: RegExp;
}

export interface NumberColumn<Value = unknown> extends AnyColumn<Value> {
  readonly kind: "integer" | "time";
}

interface UserColumn<Value = unknown> extends AnyColumn<Value> {
  readonly kind: "user";
}

interface AnyColumn<Value> {
  readonly optional?: true;
  readonly unique?: true;
  readonly secret?: true;
  /** This schema added the column. The default is the schema of the table. */
  readonly since?: number;
  /** Only the compiler uses this field. No column has it. */
  readonly valueType?: Value;
}

type OptionalColumn<Value = unknown> = Column<Value> & { readonly optional: true };

/** Resolves to the type of the values of a column. */
export type ValueOf<C extends Column> = NonNullable<C["valueType"]>;

/** Resolves to the names of the columns that a record can lack. */
export type OptionalField<T extends AnyTable> = {
  [Field in keyof T["columns"]]: T["columns"][Field] extends OptionalColumn ? Field : never;
}[keyof T["columns"]];

export type RecordOf<T extends AnyTable> = {
  readonly [Field in Exclude<keyof T["columns"], OptionalField<T>>]: ValueOf<T["columns"][Field]>;
} & { readonly [Field in OptionalField<T>]?: ValueOf<T["columns"][Field]> };

/** Accepts a record only if every field has a column. A field without a column would be lost. */
export type Storable<T extends AnyTable, Written> = Written &
  Readonly<Record<Exclude<keyof Written, keyof T["columns"]>, never>>;

/** A column can hold these values in both databases. */
export type ColumnValue = string | number | null;

/** A row of a table contains the values of its columns, in their order. */
export type Row = readonly ColumnValue[];

export type TableName = keyof typeof tables;

/** Lists the fields of a table with their columns. All statements use this order. */
export const listColumns = (table: AnyTable): readonly (readonly [field: string, Column])[] =>
  Object.entries(table.columns);

/** Returns the name of a column, such as `password_hash` for `passwordHash`. */
export const toColumnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Returns the values of a record. An absent field becomes a null.
 *
 * @throws {Fault} `invalid_option` for a value of another type, which plain JavaScript can pass: if
 * a date became null, an account would never end. Also for a text with a NUL, which PostgreSQL
 * cannot store.
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

/** Returns how a database stores a value, or `undefined` for a value of the wrong type. */
export function toColumnValue(kind: Column["kind"], value: unknown): ColumnValue | undefined {
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

/** Joins texts without commas into one text, in which `,text,` finds each of them. */
export const joinTexts = (texts: readonly string[]): string =>
  [",", ...texts.map((text) => `${text},`)].join("");

export const splitTexts = (text: string): readonly string[] => text.split(",").slice(1, -1);

/** @throws {RangeError} for an invalid date, which would be stored as null. */
export const toTime = (at: Date): number => Date.parse(at.toISOString());
