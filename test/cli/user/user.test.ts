import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "../../../src/core/passwords.ts";
import { serverOfFile } from "../../support/postgres-file.ts";
import { type OpenPlace, type Place, postgresPlace, sqlitePlace } from "./place.ts";
import { piped } from "./terminal.ts";

const PASSWORD = "correct horse";
const DONE = { code: 0, stdout: "", stderr: "" };
const STRANGE = "\u001b[2Jg\u009bu\nest\u202e";

const passwords = createPasswords({ atOnce: 1, waiting: 1 });
const server = await serverOfFile();
const places: Readonly<Record<string, OpenPlace>> = {
  SQLite: sqlitePlace,
  PostgreSQL: postgresPlace(server),
};

async function isPassword(place: Place, username: string, password: string): Promise<boolean> {
  return passwords.verify(password, (await place.accounts())[username]?.passwordHash);
}

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: user add prints the ID of the new account and nothing else`, async (t) => {
    const place = await open(t, "owner");
    const before = await place.accounts();
    const args = ["user", "add", "guest", "--password-stdin"];
    const { code, stdout, stderr } = await piped(t, args, place.env, `${PASSWORD}\n`);
    const { guest, ...others } = await place.accounts();
    assert.deepEqual([code, stdout, stderr], [0, `${guest?.id}\n`, ""]);
    assert.deepEqual(others, before);
    assert.equal(await isPassword(place, "guest", PASSWORD), true);
    assert.deepEqual(await place.entries(), ["cli user_add: Added account guest"]);
  });

  test(`${kind}: user password sets it without a question about the old one, and says nothing`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    const args = ["user", "password", "owner", "--password-stdin"];
    assert.deepEqual(await piped(t, args, place.env, PASSWORD), DONE);
    assert.equal(await isPassword(place, "owner", PASSWORD), true);
    const after = await place.accounts();
    assert.deepEqual(after.guest, guest);
    assert.deepEqual(after.owner, { ...owner, passwordHash: after.owner?.passwordHash });
    assert.deepEqual(await place.entries(), ["cli user_password: Set the password of owner"]);
  });

  test(`${kind}: user rename changes the name alone, and says nothing`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    assert.deepEqual(await piped(t, ["user", "rename", "owner", "host"], place.env), DONE);
    assert.deepEqual(await place.accounts(), { guest, host: { ...owner, username: "host" } });
    assert.deepEqual(await place.entries(), ["cli user_rename: Renamed account to host"]);
  });

  test(`${kind}: user remove --yes removes without a question, and says nothing`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { owner } = await place.accounts();
    assert.deepEqual(await piped(t, ["user", "remove", "guest", "--yes"], place.env), DONE);
    assert.deepEqual(await place.accounts(), { owner });
    assert.deepEqual(await place.entries(), ["cli user_remove: Removed account guest"]);
  });

  test(`${kind}: user sign-out notes the next second with the one account, and says nothing`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    const earliest = Math.floor(Date.now() / 1_000) + 1;
    assert.deepEqual(await piped(t, ["user", "sign-out", "owner"], place.env), DONE);
    const latest = Math.floor(Date.now() / 1_000) + 1;
    const after = await place.accounts();
    const from = after.owner?.sessionsFrom ?? 0;
    assert.ok(from >= earliest && from <= latest, `${earliest} ${from} ${latest}`);
    assert.deepEqual(after, { guest, owner: { ...owner, sessionsFrom: from } });
    assert.deepEqual(await place.entries(), ["cli user_sign_out: Ended the sessions of owner"]);
  });

  for (const [names, said] of [
    [["owner"], "1 account\n"],
    [["guest", "owner"], "2 accounts\n"],
  ] as const) {
    test(`${kind}: user sign-out --all says that it was ${said.trim()}`, async (t) => {
      const place = await open(t, ...names);
      const ending = await piped(t, ["user", "sign-out", "--all"], place.env);
      assert.deepEqual(ending, { code: 0, stdout: said, stderr: "" });
      const accounts = Object.values(await place.accounts());
      const ended = accounts.filter(({ sessionsFrom }) => sessionsFrom !== undefined);
      assert.equal(ended.length, names.length);
      assert.deepEqual(await place.entries(), ["cli user_sign_out_all: Ended all sessions"]);
    });
  }

  test(`${kind}: user list shows IDs and names in the order of the IDs, and never a hash`, async (t) => {
    const place = await open(t, "guest", "owner", STRANGE);
    await place.store.endSessions((await place.accounts()).owner?.id ?? "all", 1_900_000_000);
    const accounts = Object.values(await place.accounts());
    const escaped = "\\u{1b}[2Jg\\u{9b}u\\u{a}est\\u{202e}";
    const rows = accounts.map(
      ({ id, username }) => `${id}  ${username === STRANGE ? escaped : username}\n`,
    );
    const forPeople = await piped(t, ["user", "list"], place.env);
    assert.deepEqual(forPeople, { code: 0, stdout: [...rows].sort().join(""), stderr: "" });

    const { code, stdout, stderr } = await piped(t, ["user", "list", "--json"], place.env);
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      accounts.map(({ id, username }) => ({
        id,
        username,
        sessionsFrom: username === "owner" ? "2030-03-17T17:46:40.000Z" : null,
      })),
    );
    assert.doesNotMatch(lines.join(""), /[\p{Cc}]/u);
  });

  test(`${kind}: of four processes that each remove one of four accounts, one is refused`, async (t) => {
    const names = ["first", "second", "third", "fourth"];
    const place = await open(t, ...names);
    const endings = await Promise.all(
      names.map((name) => piped(t, ["user", "remove", name, "--yes"], place.env)),
    );
    const codes = endings.map(({ code }) => code);
    assert.deepEqual([...codes].sort(), [0, 0, 0, 1]);
    const stays = names[codes.indexOf(1)] ?? "";
    assert.deepEqual(Object.keys(await place.accounts()), [stays]);
    assert.match(endings[codes.indexOf(1)]?.stderr ?? "", /^latchkey: \w+ is the last account/);
    assert.equal((await place.entries()).length, 3);
  });
}

test("user list shows more accounts than are read at once, each once", async (t) => {
  const place = await sqlitePlace(t, ...Array.from({ length: 1_001 }, (_, i) => `account ${i}`));
  const { stdout } = await piped(t, ["user", "list"], place.env);
  const ids = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(0, 36));
  assert.deepEqual(
    ids,
    Object.values(await place.accounts())
      .map(({ id }) => id)
      .sort(),
  );
});
