import assert from "node:assert/strict";
import { test } from "node:test";
import { fileWith } from "../../support/temp-dir.ts";
import { sqlitePlace } from "../user/place.ts";
import { onTerminal } from "../user/terminal.ts";
import { csvOf } from "./import-file.ts";

const NAMES = Array.from({ length: 60_000 }, (_, n) => `user ${n}`);

test("shows progress on a terminal, and only the results at the end", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const file = await fileWith(t, csvOf(...NAMES));
  const imported = await onTerminal(t, `latchkey import ${file}`, env);
  assert.match(imported.shown, /checking: \d+ of \d+ MB/);
  assert.match(imported.shown, /importing: \d+ of 60000 users/);
  assert.match(imported.shown, /Imported 60000 users\nlatchkey: the database is \S+\n$/);

  const backedUp = await onTerminal(t, `latchkey backup ${file}.db`, env);
  assert.match(backedUp.shown, /copying: \d+ of \d+ pages/);
  assert.match(backedUp.shown, /Backed up 60001 users and 60 log entries to \S+\n$/);

  const restored = await onTerminal(t, `latchkey restore ${file}.db --data-dir ${file}.d`, {});
  assert.match(restored.shown, /copying: \d+ of \d+ pages/);
  assert.match(restored.shown, /Restored 60001 users and 60 log entries to \S+\n$/);

  const copy = `copy --from sqlite:${file}.db --to sqlite:${file}.copy.db`;
  const copied = await onTerminal(t, `latchkey ${copy}`, {});
  assert.match(copied.shown, /copying: users \d+/);
  assert.match(copied.shown, /comparing: users \d+/);
  assert.match(copied.shown, /Copied 60001 users and 60 log entries from \S+ to \S+; .*\n$/);
});
