import { type TestContext, test } from "node:test";
import type { PostgresStore } from "../../src/db/postgres/store.ts";
import { tableNames } from "../../src/db/read-pages.ts";
import {
  type PasswordHash,
  type StoredUser,
  toIdentityId,
  type UserId,
} from "../../src/db/records.ts";
import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import {
  type AnyTable,
  type RecordOf,
  type Row,
  type Storable,
  type TableName,
  tables,
  toRowValues,
} from "../../src/db/tables.ts";
import type { Rows } from "../../src/db/transfer-store.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { hashText, logEntry, newFile, openStore } from "../support/store.ts";

/** The parts that every store here has, by the names of the suite. */
export const parts = [
  "sessions",
  "passkeys",
  "codes",
  "devices",
  "people",
  "profiles",
  "links",
  "keys",
  "apps",
  "appUses",
  "consents",
  "grants",
  "tokens",
  "signOuts",
  "outbox",
  "identities",
  "signUps",
  "signingKeys",
] as const;

export type Either = SqliteStore | PostgresStore;

const server = await sharedPostgres();

/** For each kind, returns a function that opens more connections to one new database. */
export const stores: Readonly<Record<string, (t: TestContext) => Promise<() => Promise<Either>>>> =
  {
    SQLite: async (t) => {
      const file = await newFile(t);
      return () => openStore(t, file);
    },
    PostgreSQL: async (t) => {
      const url = await server.newStoreDatabase();
      return () => openStoreAt(t, url);
    },
  };

/** A test for each kind of store, with two connections to one new database. */
export function ruleForBoth(
  text: string,
  check: (store: Either, other: Either) => Promise<void>,
): void {
  for (const [name, fresh] of Object.entries(stores)) {
    test(`${name}: ${text}`, async (t) => {
      const connect = await fresh(t);
      await check(await connect(), await connect());
    });
  }
}

export const user = (id: string, username = `name of ${id}`): StoredUser => ({
  id: id as UserId,
  username,
  passwordHash: hashText(`hash of ${id}`),
});

const page = <T extends AnyTable>(
  name: TableName,
  table: T,
  ...records: readonly Partial<RecordOf<T>>[]
): Rows => ({
  table: name,
  rows: records.map((one) => toRowValues(table, one as Storable<T, typeof one>)),
});

/** Users and entries as rows of their tables. */
export const rows = (
  users: readonly StoredUser[],
  summaries: readonly string[] = [],
): readonly Rows[] => [
  page("users", tables.users, ...users),
  page("log", tables.log, ...summaries.map((one, at) => ({ ...logEntry(one), id: at + 1 }))),
];

/** Later than any test runs. */
const LATE = new Date("9999-12-31T23:59:59.999Z");
const TEXT = 'a\u0001 "b", \\u0041 🔑 caf\u00e9\n';

/** An import leaves out a display name with control characters. */
const NAME = 'a "b", \\u0041 🔑 caf\u00e9';

/** A user for each way of signing in, with texts and times of each kind. Sorted by their keys. */
export function rowsOfEveryTable(passwordHash: PasswordHash = hashText("a hash")): readonly Rows[] {
  const [userId, other] = ["1" as UserId, "2" as UserId];
  const session = { userId, createdAt: new Date(0), usedAt: new Date(1), expiresAt: LATE };
  const passkey = { userId, name: TEXT, key: "a2V5", counter: 0, addedAt: new Date(2) };
  const link = { name: TEXT, expiresAt: LATE, usesLeft: 1 };
  const grant = {
    ...{ userId, appId: "b", validUpTo: 17, factors: 2, content: "{}" },
    ...{ createdAt: new Date(8), expiresAt: LATE },
  };
  const signOut = { appId: "b", userId, sid: "s", url: "https://b.test/o", expiresAt: LATE };
  const identity = { provider: "google", issuer: "https://a.test", addedAt: new Date(1) };
  const personOf = (subject: string) => ({ id: toIdentityId(identity.issuer, subject), subject });
  const delivery = { createdAt: new Date(1), tries: 0, expiresAt: LATE };
  const off = { lastStep: 0, recovery: [], wrong: 0 };
  return [
    page(
      "users",
      tables.users,
      { id: userId, username: "owner", passwordHash },
      { id: other, username: TEXT, passwordHash, sessionsFrom: 17, endsAt: LATE },
    ),
    page(
      "profiles",
      tables.profiles,
      {
        id: userId,
        userId,
        name: NAME,
        email: "A@b.test",
        verifiedEmail: "a@b.test",
        locale: "de",
      },
      { id: other, userId: other, email: "b@b.test" },
    ),
    page(
      "sessions",
      tables.sessions,
      { ...session, id: TEXT, address: "::1", device: TEXT },
      { ...session, id: "ended", address: "", device: "", endedAt: new Date(3), host: TEXT },
    ),
    page("handoffs", tables.handoffs, {
      ...{ id: "h", userId, host: TEXT, browser: "b", sessionId: "s" },
      ...{ signedInAt: new Date(6), sessionsFrom: 7, factors: 2, endsAt: LATE, expiresAt: LATE },
    }),
    page(
      "passkeys",
      tables.passkeys,
      { ...passkey, id: "k" },
      { ...passkey, id: "used", counter: 2 ** 32, usedAt: LATE },
    ),
    page("answers", tables.answers, { id: "n", userId, expiresAt: LATE }),
    page(
      "codes",
      tables.codes,
      { userId, secret: "sealed", lastStep: 7, recovery: ["one", "two"], wrong: 2, renewals: 1 },
      { ...off, userId: other, begun: "a mark" },
    ),
    page("devices", tables.devices, {
      ...{ id: "d", userId, createdAt: new Date(3), expiresAt: LATE },
      ...{ device: TEXT, boundTo: "digest" },
    }),
    page(
      "links",
      tables.links,
      { ...link, id: "l", tokenHash: "l", purpose: "reset", userId },
      {
        ...{ ...link, id: "m", tokenHash: "m", purpose: "reset", userId: other },
        ...{ groups: ["a", "b"], endsAt: LATE, madeBy: TEXT, makerId: other, makerValidUpTo: 17 },
        ...{ apps: ["photos", "wiki"], email: "a@b.test" },
      },
    ),
    page(
      "keys",
      tables.keys,
      { id: "k", userId, name: TEXT, hash: "h", createdAt: new Date(4) },
      {
        ...{ id: "used", userId, name: "", hash: "i", hosts: ["a", "b"], createdAt: new Date(4) },
        ...{ expiresAt: LATE, usedAt: new Date(5), factors: 2 },
      },
    ),
    page(
      "used_names",
      tables.used_names,
      { id: "m", holder: userId },
      { id: "n", holder: "gone" as UserId, expiresAt: LATE },
    ),
    page(
      "apps",
      tables.apps,
      { id: "a", name: "A", createdAt: new Date(6) },
      {
        ...{ id: "b", name: "B", section: "C", url: "https://b.test", upstream: "http://b:1" },
        ...{ groups: ["a", "b"], factors: 2, clientType: "confidential" },
        ...{ redirects: "https://b.test/c com.b:/", signOutRedirects: "https://b.test/" },
        ...{
          backchannelUrl: "https://b.test/o",
          consent: 1,
          signing: "ES256",
          off: 1,
          createdAt: LATE,
        },
      },
    ),
    page("app_secrets", tables.app_secrets, {
      ...{ id: "s", appId: "b", hash: hashText("secret"), ending: "cret", createdAt: new Date(7) },
    }),
    page(
      "app_icons",
      tables.app_icons,
      { id: "b/dark", type: "image/png", body: "iVBORw0KGgo=" },
      { id: "b/light", type: "image/svg+xml", body: "PHN2Zy8+" },
    ),
    page("consents", tables.consents, {
      ...{ id: "b/1", userId, appId: "b", scopes: "openid email", createdAt: new Date(8) },
    }),
    page("app_uses", tables.app_uses, {
      ...{ id: "b/1", userId, appId: "b", openedAt: new Date(9), device: TEXT, days: "1:2" },
      ...{ refusedAt: new Date(8), refusedUri: "https://b.test/d" },
    }),
    page(
      "grants",
      tables.grants,
      { ...grant, id: "f", sid: "f" },
      { ...grant, id: "g", sid: "g", sessionId: "ended", offline: 1, content: TEXT },
    ),
    page(
      "tokens",
      tables.tokens,
      { id: "t", kind: "DeviceCode", content: "{}", expiresAt: LATE },
      {
        ...{ id: "u", kind: TEXT, grantId: "g", userCode: "c", content: TEXT },
        ...{ consumedAt: new Date(9), expiresAt: LATE },
      },
    ),
    page(
      "sign_outs",
      tables.sign_outs,
      { ...signOut, id: "f", tries: 0 },
      {
        ...{ ...signOut, id: "g", tries: 3, endedAt: new Date(1), dueAt: LATE },
        ...{ acknowledgedAt: new Date(2), problem: TEXT },
      },
    ),
    page(
      "identities",
      tables.identities,
      { ...identity, ...personOf("1"), userId },
      { ...identity, ...personOf(TEXT.trim()), userId: other, label: TEXT, usedAt: LATE },
    ),
    page("sign_ups", tables.sign_ups, {
      id: "s",
      asker: TEXT,
      username: TEXT,
      passwordHash,
      facts: "{}",
      createdAt: new Date(1),
      expiresAt: LATE,
    }),
    page(
      "outbox",
      tables.outbox,
      { ...delivery, id: "m", kind: "mail", userId, content: TEXT, dueAt: LATE },
      {
        ...{ ...delivery, id: "w", kind: "webhook", tries: 3, sentAt: new Date(2) },
        problem: TEXT,
      },
    ),
    page(
      "signing_keys",
      tables.signing_keys,
      { id: "k", algorithm: "RS256", sealed: "sealed", createdAt: new Date(1) },
      {
        ...{ id: "l", algorithm: "ES256", sealed: TEXT },
        ...{ createdAt: new Date(1), replacedAt: LATE },
      },
    ),
    page(
      "log",
      tables.log,
      { ...logEntry(TEXT, { at: new Date(5) }), id: 1 },
      {
        ...logEntry("of a user", { userId, subject: TEXT, address: "::1", device: "curl" }),
        id: 2,
      },
    ),
  ];
}

/** The tables of apps in which no row belongs to a user, without rows. */
export const NO_APPS: Readonly<Record<string, readonly Row[]>> = {
  ...{
    apps: [],
    app_secrets: [],
    app_icons: [],
    tokens: [],
    sign_outs: [],
    outbox: [],
    sign_ups: [],
    signing_keys: [],
  },
};

/** All rows of a store, by their table. */
export async function rowsIn(
  store: Pick<Either, "transfer">,
): Promise<Readonly<Record<string, readonly Row[]>>> {
  const found: Record<string, readonly Row[]> = {};
  for (const name of tableNames) {
    found[name] = await store.transfer.readRows(name, name === "log" ? 0 : "", 9_999);
  }
  return found;
}

export const byTable = (all: readonly Rows[]): Readonly<Record<string, readonly Row[]>> =>
  Object.fromEntries(all.map((page) => [page.table, page.rows]));
