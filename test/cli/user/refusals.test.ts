import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, outputOf, runCommand } from "../../support/command.ts";
import { refuse } from "../../support/database.ts";
import { sqlitePlace } from "./place.ts";

const LONG_ENOUGH = "correct horse\n";
const ADD = ["user", "add"];
const STDIN = "--password-stdin";
const LAST =
  '"owner" is the last user and cannot be removed: without an account, anyone could set up this server';
const ONE_OR_ALL = "user sign-out takes either NAME or --all";

const INVALID =
  "a username has up to 255 bytes, no space at its ends, no control or invisible characters, and letters of one script";
const USED =
  "was the name of another user, or is too similar to one: apps could take the new user for the other one. Choose another name, or free this one with latchkey user forget-name";
const HELD = 'a user has the name "OWNER" or one like it: rename or remove that user first';
const NAME_INVALID = "a name has up to 255 bytes and no control characters";
const AT = ["--public-url", "https://auth.example.org"];

/** The usernames in the store, the arguments, the message and the exit code. */
const refusals: readonly (readonly [
  accounts: readonly string[],
  args: readonly string[],
  stderr: string,
  code: number,
])[] = [
  [["owner"], [...ADD, "owner", STDIN], 'there is already a user "owner"', 1],
  [["owner"], [...ADD, "", STDIN], "a user needs a name", 2],
  [["owner"], ["user", "password", "Owner", STDIN], 'there is no user "Owner"', 1],
  [["owner"], ["user", "rename", "nobody", "x"], 'there is no user "nobody"', 1],
  [["owner"], ["user", "rename", "owner", ""], "a user needs a name", 2],
  [["guest", "owner"], ["user", "rename", "owner", "guest"], 'there is already a user "guest"', 1],
  [["owner"], ["user", "remove", "nobody", "--yes"], 'there is no user "nobody"', 1],
  [["owner"], ["user", "remove", "owner"], LAST, 1],
  [["owner"], ["user", "codes", "off", "nobody"], 'there is no user "nobody"', 1],
  [["owner"], ["user", "sign-out", "nobody"], 'there is no user "nobody"', 1],
  [["owner"], ["user", "sign-out"], ONE_OR_ALL, 2],
  [["owner"], ["user", "sign-out", "owner", "--all"], ONE_OR_ALL, 2],
  [
    ["owner"],
    ["user", "remove", "\u001b[2J\u009b", "--yes"],
    'there is no user "\\u{1b}[2J\\u{9b}"',
    1,
  ],
  [["\u001b[2J"], [...ADD, "\u001b[2J", STDIN], INVALID, 2],
  [["owner"], [...ADD, " alice", STDIN], INVALID, 2],
  [["owner"], [...ADD, "al\u200bice", STDIN], INVALID, 2],
  [["owner"], ["user", "rename", "owner", "\u043ewner"], INVALID, 2],
  [["owner"], [...ADD, "Owner", STDIN], `"Owner" ${USED}`, 1],
  [["guest", "owner"], ["user", "rename", "owner", "GUEST"], `"GUEST" ${USED}`, 1],
  [["owner"], ["link", "invite", "--username", "OWNER", ...AT], `"OWNER" ${USED}`, 1],
  [["owner"], ["link", "invite", "--username", "own\u202eer", ...AT], INVALID, 2],
  [["owner"], ["key", "add", "a\nb", "--user", "owner"], NAME_INVALID, 2],
  [["owner"], ["user", "forget-name", "OWNER"], HELD, 1],
  [["owner"], ["user", "forget-name", "nobody"], 'no user had the name "nobody"', 1],
];

for (const [accounts, args, message, code] of refusals) {
  const line = JSON.stringify(args.slice(1)).replaceAll(",", " ");
  test(`latchkey user ${line} with ${accounts.join() || "no user"}: ${message}`, async (t) => {
    const place = await sqlitePlace(t, ...accounts);
    const before = await place.accounts();
    assert.equal(await failureOf(args, { env: place.env, input: LONG_ENOUGH }, code), message);
    assert.deepEqual(await place.accounts(), before);
    assert.deepEqual(await place.entries(), []);
  });
}

test("refuses a password as an argument, and does not repeat it", async (t) => {
  const place = await sqlitePlace(t, "owner");
  const before = await place.accounts();
  for (const args of [
    ["user", "add", "guest", "hunter2hunter2"],
    ["user", "add", "guest", "--password", "hunter2hunter2"],
    ["user", "add", "guest", "--password-stdin=hunter2hunter2"],
    ["user", "add", "guest", "-phunter2hunter2"],
    ["user", "password", "owner", "--new-password=hunter2hunter2"],
  ]) {
    const refusal = await failureOf(args, { env: place.env, input: LONG_ENOUGH }, 2);
    assert.match(refusal, / See latchkey user (add|password) --help$/);
    assert.doesNotMatch(refusal, /hunter2/);
  }
  assert.deepEqual(await place.accounts(), before);
});

test("accepts a name that begins with a dash after --", async (t) => {
  const place = await sqlitePlace(t, "owner", "--all");
  await outputOf(["user", "rename", "--", "--all", "-x"], { env: place.env });
  assert.deepEqual(Object.keys(await place.accounts()).sort(), ["-x", "owner"]);
});

test("says that the password is set if the sessions cannot be ended", async (t) => {
  const place = await sqlitePlace(t, "owner");
  const before = await place.accounts();
  const file = `${place.env.DATA_DIR}/latchkey.db`;
  refuse(file, "UPDATE OF sessions_from ON latchkey_users", "the disk is worn out");
  const setting = { env: place.env, input: LONG_ENOUGH };
  const failure = await failureOf(["user", "password", "owner", STDIN], setting);
  const text =
    "the password is set, but the sessions have not ended: the disk is worn out; run latchkey user sign-out";
  assert.equal(failure, text);
  const { owner } = await place.accounts();
  assert.notEqual(owner?.passwordHash, before.owner?.passwordHash);
});

test("reports a log entry that cannot be written, and succeeds", async (t) => {
  const place = await sqlitePlace(t, "owner");
  const file = `${place.env.DATA_DIR}/latchkey.db`;
  refuse(file, "INSERT ON latchkey_log", "the log is full");
  assert.deepEqual(await runCommand(["user", "rename", "owner", "host"], { env: place.env }), {
    code: 0,
    stdout: 'Renamed user "owner" to "host".\n',
    stderr: `latchkey: done, but writing the log entry failed: the log is full\nlatchkey: the database is sqlite:${file}\n`,
  });
  assert.deepEqual(Object.keys(await place.accounts()), ["host"]);
});
