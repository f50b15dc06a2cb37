import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "../../src/identity/passwords.ts";
import { failureOf } from "../support/command.ts";
import { type Place, sqlitePlace } from "./user/place.ts";
import { CTRL_C, CTRL_D, ENTER, onTerminal, type Typing } from "./user/terminal.ts";

const PASSWORD = " correct hörse 🔑 ";
const FIRST = "New password: ";
const SECOND = "Repeat the password: ";
const STOPPED = "latchkey: stopped; nothing was changed\n";
const SET = "latchkey user password owner";
const REMOVE = "latchkey user remove guest";
const SURE = 'Remove user "guest"? [y/N] ';

async function assertUntouched(place: Place, work: () => Promise<void>): Promise<void> {
  const before = await place.accounts();
  await work();
  assert.deepEqual(await place.accounts(), before);
  assert.deepEqual(await place.entries(), []);
}

function typedThen(second: string): Typing {
  return [
    [FIRST, `${PASSWORD}${ENTER}`],
    [SECOND, second],
  ];
}

/** The line that names the database. */
const named = ({ DATA_DIR, DATABASE_URL }: Readonly<Record<string, string>>): string =>
  `latchkey: the database is ${DATABASE_URL ?? `sqlite:${DATA_DIR}/latchkey.db`}\n`;

const typed: Readonly<Record<string, Typing>> = {
  "both at once, as pasted": [[FIRST, `${PASSWORD}${ENTER}${PASSWORD}${ENTER}`]],
  "with a corrected mistake": [
    [FIRST, ` correct hoarse\b\b\b\b\böx\brse 🔑 ${ENTER}`],
    [SECOND, `wrong\u0015${PASSWORD}${ENTER}`],
  ],
};
for (const [how, typing] of Object.entries(typed)) {
  test(`a password with spaces and emoji typed ${how} is accepted and never shown`, async (t) => {
    const place = await sqlitePlace(t, "owner");
    const { code, shown } = await onTerminal(t, SET, place.env, typing);
    const expected = `${FIRST}\n${SECOND}\nSet a new password for user "owner", and ended all sessions.\n${named(place.env)}`;
    assert.deepEqual([code, shown], [0, expected]);
    const { owner } = await place.accounts();
    const passwords = createPasswords({ atOnce: 1, waiting: 0 });
    assert.equal(await passwords.verify(PASSWORD, owner?.passwordHash), true);
  });
}

const refused: Readonly<Record<string, readonly [Typing, string]>> = {
  "two that differ": [
    typedThen(`correct hors${ENTER}`),
    `${FIRST}\n${SECOND}\nlatchkey: the passwords do not match; nothing was changed\n`,
  ],
  "one too short, before it is asked for again": [
    [[FIRST, `1234567${ENTER}`]],
    `${FIRST}\nlatchkey: a password needs at least 8 bytes\n`,
  ],
  "Ctrl-C at the second question": [typedThen(CTRL_C), `${FIRST}\n${SECOND}\n${STOPPED}`],
  "Ctrl-D at the second question": [typedThen(CTRL_D), `${FIRST}\n${SECOND}\n${STOPPED}`],
  "Ctrl-C in the middle of it": [[[FIRST, `corr${CTRL_C}`]], `${FIRST}\n${STOPPED}`],
};
for (const [what, [typing, expected]] of Object.entries(refused)) {
  test(`changes nothing and shows nothing typed after ${what}`, async (t) => {
    const place = await sqlitePlace(t, "owner");
    await assertUntouched(place, async () => {
      const { code, shown } = await onTerminal(t, SET, place.env, typing);
      assert.deepEqual([code, shown], [1, expected]);
    });
  });
}

for (const [answer, shown, result] of [
  [`y${ENTER}`, "y\n", 'Removed user "guest".\n'],
  [` YES ${ENTER}`, " YES \n", 'Removed user "guest".\n'],
  [ENTER, "\n", "latchkey: nothing was removed\n"],
  [`yep${ENTER}`, "yep\n", "latchkey: nothing was removed\n"],
  [CTRL_C, "\n", STOPPED],
  [CTRL_D, "\n", STOPPED],
] as const) {
  test(`the answer ${JSON.stringify(answer)} results in: ${result.trim()}`, async (t) => {
    const place = await sqlitePlace(t, "guest", "owner");
    const ended = await onTerminal(t, REMOVE, place.env, [[SURE, answer]]);
    const isRemoved = result.startsWith("Removed");
    assert.deepEqual(ended, {
      code: isRemoved ? 0 : 1,
      shown: `${SURE}${shown}${result}${isRemoved ? named(place.env) : ""}`,
    });
    assert.equal((await place.accounts()).guest === undefined, isRemoved);
  });
}

test("without a terminal, names the option to use instead, and changes nothing", async (t) => {
  const place = await sqlitePlace(t, "owner", "somebody else");
  const given = { env: place.env, input: `${PASSWORD}\n${PASSWORD}\n` };
  await assertUntouched(place, async () => {
    for (const [args, option] of [
      [["user", "add", "guest"], "--password-stdin"],
      [["user", "password", "owner"], "--password-stdin"],
      [["user", "remove", "owner"], "--yes"],
    ] as const) {
      const failure = await failureOf(args, given, 2);
      assert.equal(failure, `standard input is not a terminal: use ${option}`);
    }
  });
});

test("asks on standard error, so that standard output has results only", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const { shown } = await onTerminal(t, `${SET} >/dev/null`, env, [[FIRST, CTRL_D]]);
  assert.equal(shown, `${FIRST}\n${STOPPED}`);
});

test("restores the terminal after Ctrl-C", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const line = `before=$(stty -g); ${SET}; test "$before" = "$(stty -g)" && echo as it was`;
  const { shown } = await onTerminal(t, line, env, [[FIRST, CTRL_C]]);
  assert.match(shown, /nothing was changed\nas it was\n$/);
});
