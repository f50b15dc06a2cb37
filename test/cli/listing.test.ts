import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { runCommand } from "../support/command.ts";
import { logEntry } from "../support/store.ts";
import { sqlitePlace } from "./user/place.ts";

const lists: readonly (readonly [args: readonly string[], header: RegExp])[] = [
  [["user", "list"], /^NAME {3}GROUPS {2}END {2}ID$/],
  [["session", "list"], /^USER {2}TYPE {5}LAST USE {10}ADDRESS {2}DEVICE {2}HOST {2}ID$/],
  [["link", "list"], /^PURPOSE {2}NAME {2}GROUPS {2}EXPIRES {11}USES {2}MADE BY {2}ID$/],
  [["log"], /^TIME {17}TYPE {17}AUTHOR {2}SUMMARY$/],
];
for (const [args, expected] of lists) {
  test(`${args.join(" ")} prints a header on a terminal only, and not with --json`, async (t) => {
    const { env, store } = await sqlitePlace(t, "owner");
    await store.log.insert([logEntry("an entry")]);
    const [inPipe, onTerminal, json, jsonInPipe] = await Promise.all([
      runCommand(args, { env }),
      runCommand(args, { env, columns: 80 }),
      runCommand([...args, "--json"], { env, columns: 80 }),
      runCommand([...args, "--json"], { env }),
    ]);
    const [header = "", ...rows] = stripVTControlCharacters(onTerminal.stdout).split("\n");
    assert.match(header, expected);
    // The header can be wider than the cells.
    const cellsOf = (text: string) => text.replaceAll(/ {2,}/g, "  ");
    assert.equal(cellsOf(rows.join("\n")), cellsOf(inPipe.stdout));
    assert.equal(json.stdout, jsonInPipe.stdout);
  });
}

/** The columns that a terminal moves on, for the letters in this file. */
const width = (text: string): number =>
  text.length + [...text].filter((c) => /[李明]/.test(c)).length;

test("aligns the columns below wide, mirrored, hostile or long names", async (t) => {
  const names = ["owner", "李明", "سلمى", "a\u001b[2J\u202eb", `${"long".repeat(20)}`];
  const { env } = await sqlitePlace(t, ...names);
  const { stdout } = await runCommand(["user", "list"], { env, columns: 80 });
  const [header = "", ...rows] = stdout.trimEnd().split("\n");
  assert.ok(header.startsWith("\u001b[1mNAME ") && header.endsWith("ID\u001b[22m"), header);
  const marked = "\u200eسلمى\u200e";
  const shown = new Map(rows.map((row) => [row.split("  ")[0], row]));
  assert.deepEqual(
    new Set(shown.keys()),
    new Set(["owner", "李明", marked, "a\\u{1b}[2J\\u{202e}b", "long".repeat(20)]),
  );
  const starts = [...shown.values()]
    .filter((row) => !row.startsWith("long"))
    .map((row) => width(row.replaceAll("\u200e", "").replace(/\S{36}$/, "")));
  assert.equal(new Set(starts).size, 1, stdout);
  const inPipe = await runCommand(["user", "list"], { env });
  assert.ok(!inPipe.stdout.includes("\u200e"));
});

test("shows times of the log to the second, in the time zone of the machine", async (t) => {
  const { env, store } = await sqlitePlace(t);
  await store.log.insert([logEntry("an entry")]);
  const at = new Date("2026-11-28T03:24:59.999Z");
  await store.log.insert([logEntry("another", { at })]);
  const { stdout } = await runCommand(["log", "--since", "2000-01-01"], { env });
  const day = at.toLocaleString("sv-SE");
  assert.match(stdout, new RegExp(`^${day}  .* another$`, "m"), "to the second, local, no ms");
});
