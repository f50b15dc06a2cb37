import assert from "node:assert/strict";
import type { StoredUser, UserId } from "../core/records.ts";
import type { Store } from "../core/store.ts";
import { testAccounts } from "./account-suite.ts";
import { testAttempts } from "./attempt-suite.ts";
import { testCodes } from "./code-suite.ts";
import { having, type Open, type Rule, race, rulesFor } from "./database.ts";
import { testKeys } from "./key-suite.ts";
import { testLinks } from "./link-suite.ts";
import { testLog } from "./log-suite.ts";
import { testPasskeys } from "./passkey-suite.ts";
import { testPeople } from "./people-suite.ts";
import { hashText } from "./samples.ts";
import { testSessions } from "./session-suite.ts";

/**
 * Tests a store: its users, its log, and the parts that it has beside them.
 *
 * @param parts All that the store has. `changes` is not among them: its time is its own.
 */
export function testStore(name: string, open: Open<Store>, parts: readonly Part[] = []): void {
  const rule = rulesFor(name, open);
  rule("has the parts that are tested, and no others", async (store) => {
    const found = ALL_PARTS.filter((part) => store[part] !== undefined);
    assert.deepEqual(found, [...parts].sort());
  });
  testUsers(rule);
  testHashes(rule);
  testAccounts(rule);
  testLog(rule);
  if (parts.includes("sessions")) testSessions(rulesFor(name, having("sessions", open)));
  if (parts.includes("passkeys")) testPasskeys(rulesFor(name, having("passkeys", open)));
  if (parts.includes("codes")) testCodes(rulesFor(name, having("codes", open)));
  if (parts.includes("people")) testPeople(rulesFor(name, having("people", open)));
  if (parts.includes("links")) testLinks(rulesFor(name, having("links", open)));
  if (parts.includes("keys")) testKeys(rulesFor(name, having("keys", open)));
  if (parts.includes("attempts")) testAttempts(rulesFor(name, having("attempts", open)));
}

/** A part that not every store has. */
export type Part = (typeof ALL_PARTS)[number];

const ALL_PARTS = ["attempts", "codes", "keys", "links", "passkeys", "people", "sessions"] as const;

async function insert(store: Store, username: string): Promise<StoredUser> {
  const passwordHash = hashText("first");
  const user = await store.users.insertFirst({ username, passwordHash });
  assert.ok(user);
  return { ...user, passwordHash };
}

function testUsers(rule: Rule<Store>): void {
  rule("has no users when empty", async (store) => {
    assert.equal(await store.users.any(), false);
    assert.equal(await store.users.find("1" as UserId), undefined);
    assert.equal(await store.users.findByName(""), undefined);
  });

  rule(
    "finds the first user by ID and by username, on every connection",
    async (store, database) => {
      const user = await insert(store, "owner");
      assert.match(user.id, /\S/);
      for (const one of [store, await database.connect()]) {
        assert.equal(await one.users.any(), true);
        assert.deepEqual(await one.users.find(user.id), user);
        assert.deepEqual(await one.users.findByName("owner"), user);
      }
    },
  );

  rule("insertFirstUser returns no hash", async (store) => {
    const user = await store.users.insertFirst({ username: "owner", passwordHash: hashText("x") });
    assert.deepEqual(Object.keys(user ?? {}).sort(), ["id", "username"]);
  });

  rule("inserts no second first user, with the same or another username", async (store) => {
    await insert(store, "owner");
    for (const username of ["owner", "another"]) {
      const second = await store.users.insertFirst({ username, passwordHash: hashText("second") });
      assert.equal(second, undefined);
    }
    assert.equal(await store.users.findByName("another"), undefined);
    assert.equal((await store.users.findByName("owner"))?.passwordHash, "first");
  });

  rule("inserts one first user in a race of 64 calls", async (store, database) => {
    const answers = await race(database, 8, (one, i) =>
      one.users.insertFirst({ username: `racer ${i}`, passwordHash: hashText(`hash of ${i}`) }),
    );
    const winners = answers.filter((user) => user !== undefined);
    const [winner, ...others] = winners;
    assert.ok(winner);
    assert.deepEqual(others, []);
    for (let i = 0; i < 64; i += 1) {
      const found = await store.users.findByName(`racer ${i}`);
      assert.equal(found?.id, winner.username === `racer ${i}` ? winner.id : undefined);
    }
  });

  const names: readonly (readonly [what: string, username: string, others: readonly string[]])[] = [
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
  for (const [what, username, others] of names) {
    rule(`matches a username exactly: ${what}`, async (store) => {
      const user = await insert(store, username);
      assert.deepEqual(await store.users.findByName(username), user);
      for (const other of others) {
        assert.equal(await store.users.findByName(other), undefined, JSON.stringify(other));
      }
      assert.equal(
        await store.users.find(username as UserId),
        undefined,
        "a username is not an ID",
      );
    });
  }

  rule("returns undefined for an ID with a NUL or of any length", async (store) => {
    const { id } = await insert(store, "owner");
    for (const other of [`${id}\0`, "\0", "", id.toUpperCase().concat("X"), "x".repeat(100_000)]) {
      assert.equal(await store.users.find(other as UserId), undefined);
    }
  });
}

function testHashes(rule: Rule<Store>): void {
  rule("replaces a hash only while it is the expected one", async (store) => {
    const { id } = await insert(store, "owner");
    assert.equal(await store.users.replaceHash(id, hashText("other"), hashText("x")), false);
    assert.equal((await store.users.find(id))?.passwordHash, "first");
    assert.equal(await store.users.replaceHash(id, hashText("first"), hashText("second")), true);
    assert.equal((await store.users.find(id))?.passwordHash, "second");
    assert.equal(await store.users.replaceHash(id, hashText("first"), hashText("third")), false);
    assert.equal((await store.users.find(id))?.passwordHash, "second");
  });

  rule("does not replace the hash of an unknown user", async (store) => {
    await insert(store, "owner");
    const unknown = "unknown" as UserId;
    assert.equal(await store.users.replaceHash(unknown, hashText("first"), hashText("x")), false);
    assert.equal((await store.users.findByName("owner"))?.passwordHash, "first");
  });

  rule("makes one of 16 concurrent replacements", async (store, database) => {
    const { id } = await insert(store, "owner");
    const answers = await race(database, 2, (one, i) =>
      one.users.replaceHash(id, hashText("first"), hashText(`by ${i}`)),
    );
    assert.equal(answers.filter((replaced) => replaced).length, 1);
    assert.equal((await store.users.find(id))?.passwordHash, `by ${answers.indexOf(true)}`);
  });
}
