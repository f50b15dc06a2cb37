import assert from "node:assert/strict";
import type { Store, StoredUser, UserId } from "../core/store.ts";
import { type Open, type Rule, race, rulesFor } from "./database.ts";
import { hashText, logEntry } from "./samples.ts";

/** Tests that every store must pass. */
export function testStore(name: string, open: Open<Store>): void {
  const rule = rulesFor(name, open);
  testUsers(rule);
  testHashes(rule);
  testEntries(rule);
}

async function insert(store: Store, username: string): Promise<StoredUser> {
  const passwordHash = hashText("first");
  const user = await store.insertFirstUser({ username, passwordHash });
  assert.ok(user);
  return { ...user, passwordHash };
}

function testUsers(rule: Rule<Store>): void {
  rule("has no users when empty", async (store) => {
    assert.equal(await store.hasUsers(), false);
    assert.equal(await store.findUser("1" as UserId), undefined);
    assert.equal(await store.findUserByUsername(""), undefined);
  });

  rule(
    "finds the first user by ID and by username, on every connection",
    async (store, database) => {
      const user = await insert(store, "owner");
      assert.match(user.id, /\S/);
      for (const one of [store, await database.connect()]) {
        assert.equal(await one.hasUsers(), true);
        assert.deepEqual(await one.findUser(user.id), user);
        assert.deepEqual(await one.findUserByUsername("owner"), user);
      }
    },
  );

  rule("insertFirstUser returns no hash", async (store) => {
    const user = await store.insertFirstUser({ username: "owner", passwordHash: hashText("x") });
    assert.deepEqual(Object.keys(user ?? {}).sort(), ["id", "username"]);
  });

  rule("inserts no second first user, with the same or another username", async (store) => {
    await insert(store, "owner");
    for (const username of ["owner", "another"]) {
      const second = await store.insertFirstUser({ username, passwordHash: hashText("second") });
      assert.equal(second, undefined);
    }
    assert.equal(await store.findUserByUsername("another"), undefined);
    assert.equal((await store.findUserByUsername("owner"))?.passwordHash, "first");
  });

  rule("inserts one first user in a race of 64 calls", async (store, database) => {
    const answers = await race(database, 8, (one, i) =>
      one.insertFirstUser({ username: `racer ${i}`, passwordHash: hashText(`hash of ${i}`) }),
    );
    const winners = answers.filter((user) => user !== undefined);
    const [winner, ...others] = winners;
    assert.ok(winner);
    assert.deepEqual(others, []);
    for (let i = 0; i < 64; i += 1) {
      const found = await store.findUserByUsername(`racer ${i}`);
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
      assert.deepEqual(await store.findUserByUsername(username), user);
      for (const other of others) {
        assert.equal(await store.findUserByUsername(other), undefined, JSON.stringify(other));
      }
      assert.equal(await store.findUser(username as UserId), undefined, "a username is not an ID");
    });
  }

  rule("returns undefined for an ID with a NUL or of any length", async (store) => {
    const { id } = await insert(store, "owner");
    for (const other of [`${id}\0`, "\0", "", id.toUpperCase().concat("X"), "x".repeat(100_000)]) {
      assert.equal(await store.findUser(other as UserId), undefined);
    }
  });
}

function testHashes(rule: Rule<Store>): void {
  rule("replaces a hash only while it is the expected one", async (store) => {
    const { id } = await insert(store, "owner");
    assert.equal(await store.replacePasswordHash(id, hashText("other"), hashText("x")), false);
    assert.equal((await store.findUser(id))?.passwordHash, "first");
    assert.equal(await store.replacePasswordHash(id, hashText("first"), hashText("second")), true);
    assert.equal((await store.findUser(id))?.passwordHash, "second");
    assert.equal(await store.replacePasswordHash(id, hashText("first"), hashText("third")), false);
    assert.equal((await store.findUser(id))?.passwordHash, "second");
  });

  rule("does not replace the hash of an unknown user", async (store) => {
    await insert(store, "owner");
    const unknown = "unknown" as UserId;
    assert.equal(await store.replacePasswordHash(unknown, hashText("first"), hashText("x")), false);
    assert.equal((await store.findUserByUsername("owner"))?.passwordHash, "first");
  });

  rule("makes one of 16 concurrent replacements", async (store, database) => {
    const { id } = await insert(store, "owner");
    const answers = await race(database, 2, (one, i) =>
      one.replacePasswordHash(id, hashText("first"), hashText(`by ${i}`)),
    );
    assert.equal(answers.filter((replaced) => replaced).length, 1);
    assert.equal((await store.findUser(id))?.passwordHash, `by ${answers.indexOf(true)}`);
  });
}

/** `testLogReader` checks the written entries: a `Store` alone cannot read them. */
function testEntries(rule: Rule<Store>): void {
  rule("accepts many, few or no log entries", async (store) => {
    for (const count of [0, 1, 500]) {
      const entries = Array.from({ length: count }, (_, i) => logEntry(`entry ${i}`));
      await store.insertLogEntries(entries);
    }
  });

  rule("refuses a log entry with an invalid time", async (store) => {
    const unusable = logEntry("unusable", { at: new Date(Number.NaN) });
    await assert.rejects(store.insertLogEntries([unusable]));
  });
}
