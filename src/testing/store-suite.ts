import assert from "node:assert/strict";
import type { Store, StoredUser, UserId } from "../core/store.ts";
import { type Open, type Rule, rulesFor } from "./database.ts";
import { hashText, logEntry } from "./samples.ts";

/** What any store has to do. */
export function testStore(name: string, open: Open<Store>): void {
  const rule = rulesFor(name, open);
  usersHaveToWork(rule);
  hashesHaveToWork(rule);
  entriesHaveToGoIn(rule);
}

async function insert(store: Store, username: string): Promise<StoredUser> {
  const passwordHash = hashText("first");
  const user = await store.insertFirstUser({ username, passwordHash });
  assert.ok(user);
  return { ...user, passwordHash };
}

function usersHaveToWork(rule: Rule<Store>): void {
  rule("an empty store has no users", async (store) => {
    assert.equal(await store.hasUsers(), false);
    assert.equal(await store.findUser("1" as UserId), undefined);
    assert.equal(await store.findUserByUsername(""), undefined);
  });

  rule(
    "the first user is found by ID and by name, through other connections too",
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

  rule("what insertFirstUser answers with has no hash in it", async (store) => {
    const user = await store.insertFirstUser({ username: "owner", passwordHash: hashText("x") });
    assert.deepEqual(Object.keys(user ?? {}).sort(), ["id", "username"]);
  });

  rule("there is no second first user, of the same name or another", async (store) => {
    await insert(store, "owner");
    for (const username of ["owner", "another"]) {
      const second = await store.insertFirstUser({ username, passwordHash: hashText("second") });
      assert.equal(second, undefined);
    }
    assert.equal(await store.findUserByUsername("another"), undefined);
    assert.equal((await store.findUserByUsername("owner"))?.passwordHash, "first");
  });

  rule(
    "of 64 who come at once over eight connections, one becomes the first user",
    async (store, database) => {
      const connections = await Promise.all(Array.from({ length: 8 }, () => database.connect()));
      const racers = Array.from({ length: 64 }, (_, i) =>
        connections[i % connections.length]?.insertFirstUser({
          username: `racer ${i}`,
          passwordHash: hashText(`hash of ${i}`),
        }),
      );
      const winners = (await Promise.all(racers)).filter((user) => user !== undefined);
      const [winner, ...others] = winners;
      assert.ok(winner);
      assert.deepEqual(others, []);
      for (let i = 0; i < 64; i += 1) {
        const found = await store.findUserByUsername(`racer ${i}`);
        assert.equal(found?.id, winner.username === `racer ${i}` ? winner.id : undefined);
      }
    },
  );

  const names: readonly (readonly [what: string, username: string, others: readonly string[]])[] = [
    ["case", "Owner", ["owner", "OWNER"]],
    ["case beyond ASCII", "Ärger", ["ärger", "Arger"]],
    ["spaces", "owner", ["owner ", " owner", "owner\t", "owner\n"]],
    ["a space at the end", "owner ", ["owner", "owner  "]],
    ["composition", "caf\u00e9", ["cafe\u0301", "cafe"]],
    ["ligatures and full width", "office", ["o\ufb03ce", "ｏｆｆｉｃｅ"]],
    ["what would be a pattern", "own%_*", ["owner", "own", "own%", "own_er"]],
    ["quotes", "o'w\"n`er;--", ["o", "ower", "o''w\"n`er;--"]],
    ["numbers", "1", ["1.0", "01", "+1", "1 "]],
    ["emoji", "🔑", ["🔒", "??", "\ufffd"]],
    ["a NUL in a name that is asked for", "owner", ["owner\0", "\0owner", "own\0er", "\0"]],
  ];
  for (const [what, username, others] of names) {
    rule(`a username is matched exactly: ${what}`, async (store) => {
      const user = await insert(store, username);
      assert.deepEqual(await store.findUserByUsername(username), user);
      for (const other of others) {
        assert.equal(await store.findUserByUsername(other), undefined, JSON.stringify(other));
      }
      assert.equal(await store.findUser(username as UserId), undefined, "a name is no ID");
    });
  }

  rule("an ID with a NUL or of any length is just not found", async (store) => {
    const { id } = await insert(store, "owner");
    for (const other of [`${id}\0`, "\0", "", id.toUpperCase().concat("X"), "x".repeat(100_000)]) {
      assert.equal(await store.findUser(other as UserId), undefined);
    }
  });
}

function hashesHaveToWork(rule: Rule<Store>): void {
  rule("a hash is replaced only while it is the one that was read", async (store) => {
    const { id } = await insert(store, "owner");
    assert.equal(await store.replacePasswordHash(id, hashText("other"), hashText("x")), false);
    assert.equal((await store.findUser(id))?.passwordHash, "first");
    assert.equal(await store.replacePasswordHash(id, hashText("first"), hashText("second")), true);
    assert.equal((await store.findUser(id))?.passwordHash, "second");
    assert.equal(await store.replacePasswordHash(id, hashText("first"), hashText("third")), false);
    assert.equal((await store.findUser(id))?.passwordHash, "second");
  });

  rule("the hash of a user who does not exist is not replaced", async (store) => {
    await insert(store, "owner");
    const nobody = "nobody" as UserId;
    assert.equal(await store.replacePasswordHash(nobody, hashText("first"), hashText("x")), false);
    assert.equal((await store.findUserByUsername("owner"))?.passwordHash, "first");
  });

  rule(
    "of 16 replacements at once over several connections, one is made",
    async (store, database) => {
      const { id } = await insert(store, "owner");
      const connections = await Promise.all(Array.from({ length: 4 }, () => database.connect()));
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          connections[i % 4]?.replacePasswordHash(id, hashText("first"), hashText(`by ${i}`)),
        ),
      );
      assert.equal(answers.filter((replaced) => replaced).length, 1);
      assert.equal((await store.findUser(id))?.passwordHash, `by ${answers.indexOf(true)}`);
    },
  );
}

/** What became of them is for `testLogReader`: a `Store` alone does not tell. */
function entriesHaveToGoIn(rule: Rule<Store>): void {
  rule("log entries go in, many, few or none at all", async (store) => {
    for (const count of [0, 1, 500]) {
      const entries = Array.from({ length: count }, (_, i) => logEntry(`entry ${i}`));
      await store.insertLogEntries(entries);
    }
  });

  rule("a log entry without a time that exists is refused", async (store) => {
    const unusable = logEntry("unusable", { at: new Date(Number.NaN) });
    await assert.rejects(store.insertLogEntries([unusable]));
  });
}
