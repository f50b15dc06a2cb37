import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "../../../src/core/passwords.ts";
import { runCommand } from "../../support/command.ts";
import { execute } from "../../support/database.ts";
import { places } from "./either.ts";
import { type Place, sqlitePlace } from "./place.ts";

const PASSWORD = "correct horse";
const done = (text: string) => ({ code: 0, stdout: `${text}\n`, stderr: "" });
const STRANGE = "\u001b[2Jg\u009bu\nest\u202e";

const passwords = createPasswords({ atOnce: 1, waiting: 1 });

async function isPassword(place: Place, username: string, password: string): Promise<boolean> {
  return passwords.verify(password, (await place.accounts())[username]?.passwordHash);
}

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: user add creates a user`, async (t) => {
    const place = await open(t, "owner");
    const before = await place.accounts();
    const args = ["user", "add", "guest", "--password-stdin"];
    const ending = await runCommand(args, { env: place.env, input: `${PASSWORD}\n` });
    assert.deepEqual(ending, done('Created user "guest".'));
    const { guest: _guest, ...others } = await place.accounts();
    assert.deepEqual(others, before);
    assert.equal(await isPassword(place, "guest", PASSWORD), true);
    assert.deepEqual(await place.entries(), ["cli user_add: Added account guest"]);
  });

  test(`${kind}: user password sets a password without asking for the old one`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    const args = ["user", "password", "owner", "--password-stdin"];
    assert.deepEqual(
      await runCommand(args, { env: place.env, input: PASSWORD }),
      done('Set a new password for user "owner".'),
    );
    assert.equal(await isPassword(place, "owner", PASSWORD), true);
    const after = await place.accounts();
    assert.deepEqual(after.guest, guest);
    assert.deepEqual(after.owner, { ...owner, passwordHash: after.owner?.passwordHash });
    assert.deepEqual(await place.entries(), ["cli user_password: Set the password of owner"]);
  });

  test(`${kind}: user rename changes only the name`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    assert.deepEqual(
      await runCommand(["user", "rename", "owner", "host"], { env: place.env }),
      done('Renamed user "owner" to "host".'),
    );
    assert.deepEqual(await place.accounts(), { guest, host: { ...owner, username: "host" } });
    assert.deepEqual(await place.entries(), ["cli user_rename: Renamed account to host"]);
  });

  test(`${kind}: user remove --yes removes a user without asking`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { owner } = await place.accounts();
    assert.deepEqual(
      await runCommand(["user", "remove", "guest", "--yes"], { env: place.env }),
      done('Removed user "guest".'),
    );
    assert.deepEqual(await place.accounts(), { owner });
    assert.deepEqual(await place.entries(), ["cli user_remove: Removed account guest"]);
  });

  test(`${kind}: user sign-out ends the sessions of one user that began before the next second`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    const earliest = Math.floor(Date.now() / 1_000) + 1;
    assert.deepEqual(
      await runCommand(["user", "sign-out", "owner"], { env: place.env }),
      done('Ended all sessions of user "owner".'),
    );
    const latest = Math.floor(Date.now() / 1_000) + 1;
    const after = await place.accounts();
    const from = after.owner?.sessionsFrom ?? 0;
    assert.ok(from >= earliest && from <= latest, `${earliest} ${from} ${latest}`);
    assert.deepEqual(after, { guest, owner: { ...owner, sessionsFrom: from } });
    assert.deepEqual(await place.entries(), ["cli user_sign_out: Ended the sessions of owner"]);
  });

  test(`${kind}: user codes off lets a user sign in without codes`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    assert.ok(guest && owner);
    for (const { id } of [guest, owner]) {
      await place.store.replaceExtra(id, "codes", undefined, "unreadable codes");
    }
    const turnOff = () => runCommand(["user", "codes", "off", "owner"], { env: place.env });
    assert.deepEqual(await turnOff(), done('Turned off the one-time codes of user "owner".'));
    assert.deepEqual(await turnOff(), done('User "owner" does not use one-time codes.'));
    assert.deepEqual(await place.accounts(), {
      guest: { ...guest, codes: "unreadable codes" },
      owner,
    });
    assert.deepEqual(await place.entries(), ["cli codes_off: Turned off one-time codes of owner"]);
  });

  for (const [names, said] of [
    [["owner"], "1 user"],
    [["guest", "owner"], "2 users"],
  ] as const) {
    test(`${kind}: user sign-out --all ends all sessions of ${said}`, async (t) => {
      const place = await open(t, ...names);
      const ending = await runCommand(["user", "sign-out", "--all"], { env: place.env });
      assert.deepEqual(ending, done(`Ended all sessions of ${said}.`));
      const accounts = Object.values(await place.accounts());
      const ended = accounts.filter(({ sessionsFrom }) => sessionsFrom !== undefined);
      assert.equal(ended.length, names.length);
      assert.deepEqual(await place.entries(), ["cli user_sign_out_all: Ended all sessions"]);
    });
  }

  test(`${kind}: user list prints IDs and names in the order of the IDs, without a header in a pipe`, async (t) => {
    const place = await open(t, "guest", "owner", STRANGE);
    await place.store.endSessions((await place.accounts()).owner?.id ?? "all", 1_900_000_000);
    const accounts = Object.values(await place.accounts());
    const escaped = "\\u{1b}[2Jg\\u{9b}u\\u{a}est\\u{202e}";
    const rows = accounts.map(
      ({ id, username }) => `${id}  ${username === STRANGE ? escaped : username}\n`,
    );
    const forPeople = await runCommand(["user", "list"], { env: place.env });
    assert.deepEqual(forPeople, { code: 0, stdout: [...rows].sort().join(""), stderr: "" });

    const { code, stdout, stderr } = await runCommand(["user", "list", "--json"], {
      env: place.env,
    });
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

  test(`${kind}: one of four processes that each remove one of four users is refused`, async (t) => {
    const names = ["first", "second", "third", "fourth"];
    const place = await open(t, ...names);
    const endings = await Promise.all(
      names.map((name) => runCommand(["user", "remove", name, "--yes"], { env: place.env })),
    );
    const codes = endings.map(({ code }) => code);
    assert.deepEqual([...codes].sort(), [0, 0, 0, 1]);
    const stays = names[codes.indexOf(1)] ?? "";
    assert.deepEqual(Object.keys(await place.accounts()), [stays]);
    assert.match(endings[codes.indexOf(1)]?.stderr ?? "", /^latchkey: "\w+" is the last user/);
    assert.equal((await place.entries()).length, 3);
  });
}

test("user list prints more users than one page has, each once", async (t) => {
  const place = await sqlitePlace(t);
  execute(
    `${place.env.DATA_DIR}/latchkey.db`,
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1001)
     INSERT INTO users (id, username, password_hash)
       SELECT printf('%036d', n), 'account ' || n, 'a hash' FROM numbers`,
  );
  const { stdout } = await runCommand(["user", "list"], { env: place.env });
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
