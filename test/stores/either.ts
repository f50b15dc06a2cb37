import { type TestContext, test } from "node:test";
import type { PasswordHash, StoredUser, UserId } from "../../src/core/records.ts";
import { type TableName, tables, type Values, valuesOf } from "../../src/core/tables.ts";
import type { Rows } from "../../src/core/transfer/transfer-store.ts";
import type { PostgresStore } from "../../src/stores/postgres/store.ts";
import type { SqliteStore } from "../../src/stores/sqlite/store.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { hashText, logEntry, newFile, openStore } from "../support/store.ts";

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
      const url = await server.newDatabase();
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

/** Users and entries as rows of their tables. */
export const rows = (
  users: readonly StoredUser[],
  summaries: readonly string[] = [],
): readonly Rows[] => [
  { table: "users", rows: users.map((one) => valuesOf(tables.users, one)) },
  {
    table: "log",
    rows: summaries.map((one, at) => valuesOf(tables.log, { ...logEntry(one), id: at + 1 })),
  },
];

/** Later than any test runs. */
const LATE = new Date("9999-12-31T23:59:59.999Z");
const TEXT = 'a\u0001 "b", \\u0041 🔑 caf\u00e9\n';

/** A user for each way of signing in, with texts and times of each kind. Sorted by their keys. */
export function rowsOfEveryTable(passwordHash: PasswordHash = hashText("a hash")): readonly Rows[] {
  const [userId, other] = ["1" as UserId, "2" as UserId];
  const session = { userId, createdAt: new Date(0), usedAt: new Date(1), expiresAt: LATE };
  const passkey = { userId, name: TEXT, key: "a2V5", counter: 0, addedAt: new Date(2) };
  const link = { name: TEXT, expiresAt: LATE, usesLeft: 1 };
  const off = { lastStep: 0, recovery: [], wrong: 0 };
  return [
    {
      table: "users",
      rows: [
        valuesOf(tables.users, { id: userId, username: "owner", passwordHash }),
        valuesOf(tables.users, {
          id: other,
          username: TEXT,
          passwordHash,
          sessionsFrom: 17,
          endsAt: LATE,
        }),
      ],
    },
    {
      table: "sessions",
      rows: [
        valuesOf(tables.sessions, { ...session, id: TEXT, address: "::1", device: TEXT }),
        valuesOf(tables.sessions, {
          ...{ ...session, id: "ended", address: "", device: "", endedAt: new Date(3) },
        }),
      ],
    },
    {
      table: "passkeys",
      rows: [
        valuesOf(tables.passkeys, { ...passkey, id: "k" }),
        valuesOf(tables.passkeys, { ...passkey, id: "used", counter: 2 ** 32, usedAt: LATE }),
      ],
    },
    { table: "answers", rows: [valuesOf(tables.answers, { id: "n", userId, expiresAt: LATE })] },
    {
      table: "codes",
      rows: [
        valuesOf(tables.codes, {
          ...{ userId, secret: "sealed", lastStep: 7, recovery: ["one", "two"], wrong: 2 },
        }),
        valuesOf(tables.codes, { ...off, userId: other, begun: "a mark" }),
      ],
    },
    {
      table: "links",
      rows: [
        valuesOf(tables.links, { ...link, id: "l", tokenHash: "l", purpose: "reset", userId }),
      ],
    },
    {
      table: "log",
      rows: [
        valuesOf(tables.log, { ...logEntry(TEXT, { at: new Date(5) }), id: 1 }),
        valuesOf(tables.log, {
          ...logEntry("of a user", { userId, subject: TEXT, address: "::1", device: "curl" }),
          id: 2,
        }),
      ],
    },
  ];
}

/** All rows of a store, by their table. */
export async function rowsIn(
  store: Pick<Either, "transfer">,
): Promise<Readonly<Record<string, readonly Values[]>>> {
  const found: Record<string, readonly Values[]> = {};
  for (const name of Object.keys(tables) as readonly TableName[]) {
    found[name] = await store.transfer.readRows(name, name === "log" ? 0 : "", 9_999);
  }
  return found;
}

export const byTable = (all: readonly Rows[]): Readonly<Record<string, readonly Values[]>> =>
  Object.fromEntries(all.map((page) => [page.table, page.rows]));
