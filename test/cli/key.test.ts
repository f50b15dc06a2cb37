import assert from "node:assert/strict";
import { test } from "node:test";
import { digestText } from "../../src/lib/random-text.ts";
import { failureOf, outputOf } from "../support/command.ts";
import { jsonLines } from "../support/json-lines.ts";
import { places } from "./user/either.ts";
import { sqlitePlace } from "./user/place.ts";

const DAY_MS = 86_400_000;

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: key add prints a key once, key list shows it, key revoke ends it`, async (t) => {
    const { env, store, accounts, entries } = await open(t, "owner", "guest");
    const run = (...args: readonly string[]) => outputOf(["key", ...args], { env });
    const started = Date.now();
    const year = (await run("add", "backup job", "--user", "owner")).trim();
    const few = ["--hosts", "B.example.org,a.example.org", "--expires", "90d"];
    const days = (await run("add", "feeds", "--user", "guest", ...few)).trim();
    await run("add", "ever", "--user", "guest", "--expires", "never");
    const { owner, guest } = await accounts();
    assert.ok(owner && guest);
    const [key] = await store.keys.listOf(owner.id);
    assert.equal(key?.hash, digestText(year));
    for (const [text, length] of Object.entries({ [year]: 365, [days]: 90 })) {
      const found = await store.keys.find(digestText(text));
      const left = Number(found?.key.expiresAt) - started - length * DAY_MS;
      assert.ok(left >= 0 && left < 60_000, `${length}: ${left}`);
    }

    const listed = await run("list", "--json");
    assert.ok(!listed.includes("latchkey_") && !listed.includes(key.hash));
    const objects = jsonLines<{ name: string }>(listed);
    const sorted = objects.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    assert.partialDeepStrictEqual(sorted, [
      { id: key.id, username: "owner", name: "backup job", hosts: null, usedAt: null },
      { username: "guest", name: "ever", expiresAt: null },
      { username: "guest", name: "feeds", hosts: ["b.example.org", "a.example.org"] },
    ]);
    const ofOwner = await run("list", "--user", "owner");
    assert.match(
      ofOwner,
      /^backup job {2}owner {2}\* {2}never {13}\d{4}-\d\d-\d\d \d\d:\d\d {2}\S{16}\n$/,
    );
    assert.equal(await run("revoke", key.id), `Revoked the key "${key.id}".\n`);
    assert.equal(await store.keys.find(digestText(year)), undefined);
    const again = await failureOf(["key", "revoke", key.id], { env });
    assert.equal(again, `there is no key "${key.id}"`);
    assert.deepEqual((await entries()).slice(-2), [
      "cli key_add: Added a key to guest",
      "cli key_revoke: Revoked a key of owner",
    ]);
  });
}

test("key add says what it needs, and key list that there is no such user", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const wrong: Readonly<Record<string, readonly string[]>> = {
    "key add needs --user": ["add", "a"],
    "--factor takes 2 only": ["add", "a", "--user", "owner", "--factor", "1"],
    "a key needs a name": ["add", " ", "--user", "owner"],
    'there is no user "nobody"': ["add", "a", "--user", "nobody"],
    "--hosts takes host names": ["add", "a", "--user", "owner", "--hosts", "https://a"],
    "--hosts takes host names without": ["add", "a", "--user", "owner", "--hosts", ","],
    "--expires takes a time such as 400d or 12h, or never": [
      ...["add", "a", "--user", "owner", "--expires", "soon"],
    ],
  };
  for (const [message, args] of Object.entries(wrong)) {
    const code = message.startsWith("there") ? 1 : 2;
    assert.ok((await failureOf(["key", ...args], { env }, code)).includes(message), message);
  }
  assert.match(await failureOf(["key", "list", "--user", "x"], { env }), /there is no user "x"/);
});
