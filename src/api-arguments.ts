import type { IconScheme } from "./db/records.ts";
import type { AppFields } from "./features/apps/app-fields.ts";
import type { AddedKey } from "./features/keys/manage-keys.ts";
import type { WantedLink } from "./features/links/make-link.ts";
import type { ProfileFields } from "./features/profile/set-profile.ts";
import {
  checkOptions,
  createOptionFault,
  defineOption,
  defineRequired,
  type Option,
} from "./lib/options.ts";

/**
 * Describes a new account. Without a password, the account cannot sign in until a password is set,
 * for example through a link.
 */
export interface AddedUser {
  readonly username: string;
  readonly password?: string;
  readonly groups?: readonly string[];
  /** After this time, the account behaves as if it were removed. */
  readonly endsAt?: Date;
}

/**
 * Returns the text.
 *
 * @throws {Fault} `invalid_option` for any other value, such as a promise of a text. The message
 *   names the argument and never its value, which can be a password.
 */
export function requireText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw createOptionFault(
    `${name} is ${value instanceof Promise ? "a promise" : "invalid"}: expected text`,
  );
}

/**
 * Returns the list.
 *
 * @throws {Fault} `invalid_option` for any value except a list of texts.
 */
export function requireTexts(name: string, value: unknown): readonly string[] {
  if (isTexts(value)) return value;
  const what = value instanceof Promise ? "a promise" : "invalid";
  throw createOptionFault(`${name} is ${what}: expected a list of texts`);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);
const isDate = (value: unknown): boolean => value instanceof Date && !Number.isNaN(value.getTime());

/** Defines an optional option without a default. */
const optional = <T>(takes: string, accepts: (value: unknown) => boolean): Option<T | undefined> =>
  defineOption<T | undefined>(undefined, takes, accepts);

const text = defineRequired<string>("text", isText);
const texts = optional<readonly string[]>("a list of texts", isTexts);
/** `null` also means that the end is not set. */
const end = defineOption<Date | undefined>(
  undefined,
  "a valid Date",
  (value) => value === undefined || isDate(value),
  (value) => value ?? undefined,
);

const userFields = {
  username: text,
  password: optional<string>("text", isText),
  groups: texts,
  endsAt: end,
};

/**
 * Checks the arguments of `users.add`.
 *
 * @throws {Fault} `invalid_option`
 */
export function checkUser(given: unknown): AddedUser {
  const takes = 'users.add takes an object such as { username: "ada" }';
  const { username, password, groups, endsAt } = checkOptions<Fields<typeof userFields>>(
    userFields,
    given,
    takes,
  );
  return {
    username,
    ...(password !== undefined && { password }),
    ...(groups !== undefined && { groups }),
    ...(endsAt !== undefined && { endsAt }),
  };
}

type Fields<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer T> ? T : never;
};

const profileFields = {
  name: optional<string>("text", isText),
  email: optional<string>("text", isText),
  emailIs: optional<ProfileFields["emailIs"] & string>("verified or unverified", (value) =>
    ["verified", "unverified"].includes(String(value)),
  ),
};

/**
 * Checks the arguments of `users.setProfile`.
 *
 * @throws {Fault} `invalid_option`
 */
export const checkProfileFields = (given: unknown): ProfileFields =>
  checkOptions<Fields<typeof profileFields>>(
    profileFields,
    given,
    'users.setProfile takes an object such as { name: "Ada Example" }',
  );

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;

const linkFields = {
  purpose: defineRequired<WantedLink["purpose"]>(
    "invite, guest, reset or reset-codes-off",
    (purpose) => ["invite", "guest", "reset", "reset-codes-off"].includes(purpose),
  ),
  userId: optional<string>("text", isText),
  name: optional<string>("text", isText),
  groups: texts,
  apps: texts,
  email: optional<string>("text", isText),
  endsAt: end,
  guestSeconds: optional<number>("a whole number of seconds from 1", isCount),
  expiresAt: defineRequired<Date>("a Date in the future", isDate),
  usesLeft: defineRequired<number>("a whole number from 1", isCount),
};

/**
 * Checks the arguments of `links.make`.
 *
 * @throws {Fault} `invalid_option`, also for a link that has already expired.
 */
export function checkLink(given: unknown, now: number): WantedLink {
  const takes =
    'links.make takes an object such as { purpose: "invite", usesLeft: 1, expiresAt: new Date(…) }';
  const link = checkOptions<Fields<typeof linkFields>>(linkFields, given, takes);
  if (link.expiresAt.getTime() <= now)
    throw createOptionFault("expiresAt is invalid: expected a Date in the future");
  const entries = Object.entries(link).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as WantedLink;
}

const keyFields = {
  name: text,
  hosts: texts,
  lifetime: defineOption<number | "never" | undefined>(
    undefined,
    "seconds above 0, or never",
    (value) => value === undefined || value === "never" || (Number.isFinite(value) && value > 0),
    (value) => value ?? undefined,
  ),
  factors: defineOption<1 | 2 | undefined>(
    undefined,
    "1 or 2",
    (value) => value === undefined || value === 1 || value === 2,
    (value) => value ?? undefined,
  ),
};

/**
 * Checks the arguments of `keys.add`.
 *
 * @throws {Fault} `invalid_option`
 */
export function checkKey(given: unknown): AddedKey {
  const takes = 'keys.add takes the ID of a user, and an object such as { name: "feeds" }';
  const { name, hosts, lifetime, factors } = checkOptions<Fields<typeof keyFields>>(
    keyFields,
    given,
    takes,
  );
  // If `hosts` is present but undefined, the key must not open every host.
  const areHostsGiven = Object.hasOwn(Object(given), "hosts");
  return { name, lifetime, factors, ...(areHostsGiven && { hosts: hosts ?? [] }) };
}

/** Describes a new app. */
export interface AddedApp extends AppFields {
  readonly name: string;
  /** Default: the name in lower case, with hyphens. The ID is also the client ID. */
  readonly id?: string | undefined;
}

const choice = <T>(...words: readonly T[]): Option<T | undefined> =>
  defineOption<T | undefined>(
    undefined,
    `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
    (value) => value === undefined || words.includes(value),
    (value) => value ?? undefined,
  );

const appFields = {
  name: optional<string>("text", isText),
  section: optional<string>("text", isText),
  url: optional<string>("text", isText),
  upstream: optional<string>("text", isText),
  groups: texts,
  factors: choice<1 | 2>(1, 2),
  clientType: choice<"confidential" | "public" | "none">("confidential", "public", "none"),
  redirects: texts,
  signOutRedirects: texts,
  backchannelUrl: optional<string>("text", isText),
  consent: choice<"ask" | "none">("ask", "none"),
  signing: choice<"RS256" | "ES256">("RS256", "ES256"),
  state: choice<"on" | "off">("on", "off"),
};

const addedAppFields = { ...appFields, name: text, id: optional<string>("text", isText) };

/**
 * Checks the arguments of `apps.add`.
 *
 * @throws {Fault} `invalid_option`
 */
export const checkApp = (given: unknown): AddedApp =>
  checkOptions<Fields<typeof addedAppFields>>(
    addedAppFields,
    given,
    'apps.add takes an object such as { name: "Photos" }',
  );

/**
 * Checks the fields of `apps.change`.
 *
 * @throws {Fault} `invalid_option`
 */
export const checkAppFields = (given: unknown): AppFields =>
  checkOptions<Fields<typeof appFields>>(
    appFields,
    given,
    'apps.change takes the ID of an app, and an object such as { groups: ["family"] }',
  );

/** @throws {Fault} `invalid_option` */
export function requireScheme(scheme: unknown): IconScheme {
  if (scheme === "light" || scheme === "dark") return scheme;
  throw createOptionFault("scheme is invalid: expected light or dark");
}

/** @throws {Fault} `invalid_option` */
export function requireBytes(name: string, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  const what = value instanceof Promise ? "a promise" : "invalid";
  throw createOptionFault(`${name} is ${what}: expected a Uint8Array`);
}

/** Contains the groups that a test requests for its user. */
interface SignInOptions {
  readonly groups: readonly string[] | undefined;
}

/**
 * Checks the arguments of a test's sign-in.
 *
 * @throws {Fault} `invalid_option`
 */
export const checkSignIn = (given: unknown): SignInOptions =>
  checkOptions<SignInOptions>(
    { groups: texts },
    given,
    'signInAs takes an Auth object, a username, and an object such as { groups: ["family"] }',
  );
