import assert from "node:assert/strict";
import type { UserId } from "../../../src/db/records.ts";
import type { Store, StoreParts } from "../../../src/db/store.ts";
import { testAccounts } from "./account-suite.ts";
import { testApps } from "./app-suite.ts";
import { testAppUses } from "./app-use-suite.ts";
import { testAttempts } from "./attempt-suite.ts";
import { testCodes } from "./code-suite.ts";
import { testConsents } from "./consent-suite.ts";
import { type Open, type Rule, rulesFor, type With } from "./database.ts";
import { testDevices } from "./device-suite.ts";
import { testGrants } from "./grant-suite.ts";
import { testKeys } from "./key-suite.ts";
import { testLinks } from "./link-suite.ts";
import { testLog } from "./log-suite.ts";
import { testOutbox } from "./outbox-suite.ts";
import { testPasskeys } from "./passkey-suite.ts";
import { testPeople } from "./people-suite.ts";
import { testProfiles } from "./profile-suite.ts";
import { addTo, hashText } from "./samples.ts";
import { testSessions } from "./session-suite.ts";
import { testSignOuts } from "./sign-out-suite.ts";
import { testSigningKeys } from "./signing-key-suite.ts";
import { testTokens } from "./token-suite.ts";

/** Tests a database through the parts of its store: users, log, and those that are named. */
export function testStore(name: string, open: Open<Store>, parts: readonly Part[] = []): void {
  const rule = rulesFor<"users">(name, open);
  testUsers(rule);
  testAccounts(rule);
  testLog(rule);
  const testPart = <P extends Part>(part: P): void => suites[part](rulesFor<P>(name, open));
  for (const part of parts) testPart(part);
}

export type Part = "attempts" | Exclude<keyof StoreParts, "users" | "log" | "setupToken">;

const suites: { readonly [P in Part]: (rule: Rule<With<P>>) => void } = {
  apps: testApps,
  appUses: testAppUses,
  attempts: testAttempts,
  codes: testCodes,
  consents: testConsents,
  devices: testDevices,
  grants: testGrants,
  keys: testKeys,
  links: testLinks,
  outbox: testOutbox,
  passkeys: testPasskeys,
  people: testPeople,
  profiles: testProfiles,
  sessions: testSessions,
  signingKeys: testSigningKeys,
  signOuts: testSignOuts,
  tokens: testTokens,
};

const insertFirst: typeof addTo = (store, username) => addTo(store, username, "insertFirst");

function testUsers(rule: Rule<Store>): void {
  rule("finds users by ID and by username, on every connection", async (store, { connect }) => {
    assert.equal(await store.users.any(), false);
    assert.equal(await store.users.find("1" as UserId), undefined);
    assert.equal(await store.users.findByName(""), undefined);
    const users = [await insertFirst(store, "owner"), await addTo(store, "guest")];
    for (const one of [store, await connect()]) {
      assert.equal(await one.users.any(), true);
      for (const user of users) {
        assert.match(user.id, /\S/);
        assert.deepEqual(await one.users.find(user.id), user);
        assert.deepEqual(await one.users.findByName(user.username), user);
      }
    }
  });

  rule("returns no hash of a new user", async ({ users }) => {
    const passwordHash = hashText("x");
    const first = await users.insertFirst({ username: "owner", passwordHash });
    const added = await users.insert({ username: "guest", passwordHash });
    for (const user of [first, added]) {
      assert.deepEqual(Object.keys(user ?? {}).sort(), ["id", "username"]);
    }
  });

  for (const [how, insert] of [["set up", insertFirst] as const, ["added", addTo] as const]) {
    rule(`inserts no first user once one was ${how}`, async (store) => {
      const owner = await insert(store, "owner");
      const passwordHash = hashText("second");
      for (const username of ["owner", "another"]) {
        assert.equal(await store.users.insertFirst({ username, passwordHash }), undefined);
      }
      assert.deepEqual(await store.users.read("", 9), [owner]);
    });
  }

  rule("inserts one first user in a race of 64 calls", async (store, { onlyOne }) => {
    const passwordHash = hashText("x");
    const insert = ({ users }: Store, i: number) =>
      users.insertFirst({ username: `racer ${i}`, passwordHash });
    const winner = await onlyOne(insert, 8);
    assert.deepEqual(await store.users.read("", 64), [{ ...winner, passwordHash }]);
  });

  for (const [what, username, others] of SPELLINGS) {
    rule(`matches a username exactly: ${what}`, async (store) => {
      const user = await insertFirst(store, username);
      assert.deepEqual(await store.users.findByName(username), user);
      for (const other of others) {
        assert.equal(await store.users.findByName(other), undefined, JSON.stringify(other));
      }
      const id = username as UserId;
      assert.equal(await store.users.find(id), undefined, "a username is not an ID");
    });
  }

  rule("returns undefined for an ID with a NUL or of any length", async (store) => {
    const { id } = await insertFirst(store, "owner");
    for (const other of [`${id}\0`, "\0", "", id.toUpperCase().concat("X"), "x".repeat(100_000)]) {
      assert.equal(await store.users.find(other as UserId), undefined);
    }
  });
}

const SPELLINGS: readonly (readonly [what: string, username: string, others: readonly string[]])[] =
  [
    ["case", "Owner", ["owner", "OWNER"]],
    ["case beyond ASCII", "Ärger", ["ärger", "Arger"]],
    ["spaces", "owner", ["owner ", " owner", "owner\t", "owner\n"]],
    ["a space at the end", "owner ", ["owner", "owner  "]],
    ["composition", "caf\u00e9", ["cafe\u0301", "cafe"]],
    ["ligatures and full width", "office", ["o\ufb03ce", "ｏｆｆｉｃｅ"]],
    ["pattern characters", "own%_*", ["owner", "own", "own%", "own_er"]],
    ["quotes", "o'w\"n`er;--", ["o", "ower", "o''w\"n`er;--"]],
    ["numbers", "1", ["1.0", "01", "+1", "1 "]],
    ["emoji", "🔑", ["🔒", "??", "\ufffd"]],
    ["a NUL in the requested username", "owner", ["owner\0", "\0owner", "own\0er", "\0"]],
  ];
