import assert from "node:assert/strict";
import { test } from "node:test";
import { sqlitePlace } from "./user/place.ts";
import { CTRL_C, ENTER, onTerminal } from "./user/terminal.ts";

const SET = "latchkey user password owner";
const PASSWORD = `correct horse${ENTER}`;

test("asks for a password on a terminal without showing it", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const { code, shown } = await onTerminal(t, SET, env, [
    ["New password: ", PASSWORD],
    ["Repeat the password: ", PASSWORD],
  ]);
  const asked = "New password: \nRepeat the password: \n";
  assert.deepEqual([code, shown], [0, `${asked}Set a new password for user "owner".\n`]);
});

test("restores the terminal after Ctrl-C", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const line = `before=$(stty -g); ${SET}; test "$before" = "$(stty -g)" && echo as it was`;
  const { shown } = await onTerminal(t, line, env, [["New password: ", CTRL_C]]);
  assert.match(shown, /nothing was changed\nas it was\n$/);
});
