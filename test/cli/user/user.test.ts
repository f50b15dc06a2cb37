import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "../../../src/identity/passwords.ts";
import { failureOf, outputOf } from "../../support/command.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { places } from "./either.ts";
import type { Place } from "./place.ts";

const PASSWORD = "correct horse";
const STRANGE = "\u001b[2Jg\u009bu\nest\u202e";

const passwords = createPasswords({ atOnce: 1, waiting: 1 });

/** Runs `latchkey user …`, which must succeed, and returns what it prints. */
const user = ({ env }: Place, ...args: readonly string[]) =>
  outputOf(["user", ...args], { env, input: PASSWORD });

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: user commands change one account, and log it`, async (t) => {
    const place = await open(t, "owner");
    const before = await place.accounts();
    const added = await user(place, "add", "guest", "--password-stdin");
    assert.equal(added, 'Created user "guest".\n');
    const { guest, ...others } = await place.accounts();
    assert.deepEqual(others, before);
    assert.ok(guest);
    assert.equal(await passwords.verify(PASSWORD, guest.passwordHash), true);

    const keeping = ["password", "owner", "--password-stdin", "--keep-sessions"];
    assert.equal(await user(place, ...keeping), 'Set a new password for user "owner".\n');
    const { owner } = await place.accounts();
    assert.ok(owner);
    assert.equal(await passwords.verify(PASSWORD, owner.passwordHash), true);
    assert.deepEqual(owner, { ...before.owner, passwordHash: owner.passwordHash });

    for (const { id } of [guest, owner]) {
      await place.store.codes.begin(id, "mark");
      const codes = { secret: "sealed", lastStep: 0, recovery: [], wrong: 0 };
      await place.store.codes.turnOn(id, "mark", codes);
    }
    const turnOff = () => user(place, "codes", "off", "owner");
    assert.equal(await turnOff(), 'Turned off the one-time codes of user "owner".\n');
    assert.equal(await turnOff(), 'User "owner" does not use one-time codes.\n');
    const printed = await user(place, "codes", "off", "owner", "--passkeys");
    const removed = /^Removed the one-time codes, .* of user "owner", and ended all sessions/;
    assert.match(printed, removed);
    const signedOut = (await place.accounts()).owner;
    assert.ok(signedOut?.sessionsFrom !== undefined);
    const renamed = await user(place, "rename", "owner", "host");
    assert.equal(renamed, 'Renamed user "owner" to "host".\n');
    assert.deepEqual(await place.accounts(), { guest, host: { ...signedOut, username: "host" } });
    assert.ok(await place.store.codes.find(guest.id));
    assert.equal(await user(place, "remove", "guest", "--yes"), 'Removed user "guest".\n');
    assert.deepEqual(Object.keys(await place.accounts()), ["host"]);
    assert.deepEqual(await place.entries(), [
      "cli user_add: Added account guest",
      "cli user_password: Set the password of owner",
      "cli codes_off: Turned off one-time codes of owner",
      "cli factors_off: Removed the one-time codes and passkeys of owner, and ended the sessions",
      "cli user_rename: Renamed account to host",
      "cli user_remove: Removed account guest",
    ]);
  });

  test(`${kind}: user password ends all sessions of that user only`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    const set = await user(place, "password", "owner", "--password-stdin");
    assert.equal(set, 'Set a new password for user "owner", and ended all sessions.\n');
    const after = await place.accounts();
    assert.deepEqual(after.guest, guest);
    assert.equal(owner?.sessionsFrom, undefined);
    assert.ok(Number(after.owner?.sessionsFrom) >= Math.floor(Date.now() / 1_000) - 60);
    assert.deepEqual(await place.entries(), [
      "cli user_password: Set the password of owner",
      "cli user_sign_out: Ended the sessions of owner",
    ]);
  });

  test(`${kind}: keeps a removed or old name from others until forget-name`, async (t) => {
    const place = await open(t, "carol", "owner");
    await user(place, "rename", "owner", "host");
    await user(place, "remove", "carol", "--yes");
    for (const name of ["carol", "CAROL", "c\u00e1rol", "owner", "Owner"]) {
      const adding = { env: place.env, input: PASSWORD };
      const refusal = await failureOf(["user", "add", name, "--password-stdin"], adding);
      assert.match(refusal, /was the name of another user.* latchkey user forget-name$/);
    }
    assert.equal(await user(place, "rename", "host", "owner"), 'Renamed user "host" to "owner".\n');
    assert.equal(await user(place, "forget-name", "Carol"), 'Freed the name "Carol".\n');
    await user(place, "add", "carol", "--password-stdin");
    assert.deepEqual(Object.keys(await place.accounts()).sort(), ["carol", "owner"]);
    const entries = await place.entries();
    assert.ok(entries.includes("cli name_forget: Freed the username Carol"), entries.join("\n"));
  });

  test(`${kind}: user sign-out ends the sessions of one user or all`, async (t) => {
    const place = await open(t, "guest", "owner");
    const { guest, owner } = await place.accounts();
    const printed = await user(place, "sign-out", "owner");
    assert.equal(printed, 'Ended all sessions of user "owner".\n');
    const after = await place.accounts();
    const sessionsFrom = after.owner?.sessionsFrom ?? assert.fail();
    assert.deepEqual(after, { guest, owner: { ...owner, sessionsFrom } });
    assert.equal(await user(place, "sign-out", "--all"), "Ended all sessions of 2 users.\n");
    const accounts = Object.values(await place.accounts());
    assert.ok(accounts.every(({ sessionsFrom }) => sessionsFrom !== undefined));
    assert.deepEqual(await place.entries(), [
      "cli user_sign_out: Ended the sessions of owner",
      "cli user_sign_out_all: Ended all sessions",
    ]);
  });

  test(`${kind}: user list prints names and IDs, without a header in a pipe`, async (t) => {
    const place = await open(t, "guest", "owner", STRANGE);
    const { owner } = await place.accounts();
    assert.ok(owner);
    await place.store.users.endSessions(owner.id, 1_900_000_000);
    const accounts = Object.values(await place.accounts());
    const escaped = "\\u{1b}[2Jg\\u{9b}u\\u{a}est\\u{202e}";
    const rows = accounts
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ id, username }) => {
        const shown = username === STRANGE ? escaped : username;
        return `${shown.padEnd(escaped.length)}  -  -  ${id}\n`;
      });
    assert.equal(await user(place, "list"), rows.join(""));

    const printed = await user(place, "list", "--json");
    assert.deepEqual(
      jsonLines(printed),
      accounts.map(({ id, username }) => ({
        id,
        username,
        sessionsFrom: username === "owner" ? "2030-03-17T17:46:40.000Z" : null,
        groups: [],
        endsAt: null,
        guest: false,
        ...{ name: null, email: null, emailVerified: null },
      })),
    );
    assert.doesNotMatch(printed, /[^\n\P{Cc}]/u);
  });
}
