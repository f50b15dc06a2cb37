import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "../../../src/identity/passwords.ts";
import { failureOf, outputOf } from "../../support/command.ts";
import { sqlitePlace } from "./place.ts";

const ARGS = ["user", "password", "owner", "--password-stdin"];
const passwords = createPasswords({ atOnce: 1, waiting: 0 });

const inputs: readonly (readonly [what: string, input: string, password: string])[] = [
  ["a line", "correct horse\n", "correct horse"],
  ["a line with CRLF", "correct horse\r\n", "correct horse"],
  ["a line and an empty line", "correct horse\n\n", "correct horse\n"],
  ["spaces at both ends", "  correct horse \n", "  correct horse "],
  ["a byte order mark", "\ufeffcorrect horse\n", "\ufeffcorrect horse"],
  ["non-ASCII letters", "pässwörd 🔑\n", "pässwörd 🔑"],
];
for (const [what, input, password] of inputs) {
  test(`takes ${what} from standard input, without one final line break`, async (t) => {
    const place = await sqlitePlace(t, "owner");
    await outputOf(ARGS, { env: place.env, input });
    const { owner } = await place.accounts();
    assert.equal(await passwords.verify(password, owner?.passwordHash), true);
  });
}

const TOO_SHORT = "a password needs at least 8 bytes";
const refused: readonly (readonly [string, string | Uint8Array, number, string])[] = [
  ["nothing", "", 1, TOO_SHORT],
  ["seven bytes and a line break", "1234567\n", 1, TOO_SHORT],
  [
    "bytes that are not UTF-8",
    Buffer.from("correct h\xf6rse\n", "latin1"),
    2,
    "the password on standard input is not valid UTF-8",
  ],
];
for (const [what, input, code, reason] of refused) {
  test(`sets no password from ${what}`, async (t) => {
    const place = await sqlitePlace(t, "owner");
    const before = await place.accounts();
    assert.equal(await failureOf(ARGS, { env: place.env, input }, code), reason);
    assert.deepEqual(await place.accounts(), before);
    assert.deepEqual(await place.entries(), []);
  });
}
