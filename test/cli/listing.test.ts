import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../support/command.ts";
import { logEntry } from "../support/store.ts";
import { sqlitePlace } from "./user/place.ts";

const lists: readonly (readonly [args: readonly string[], header: RegExp])[] = [
  [["user", "list"], /^ID {36}NAME {2}GROUPS {2}END$/],
  [["session", "list"], /^ID +TYPE +LAST USE +ADDRESS +USER {2}DEVICE {2}HOST$/],
  [["link", "list"], /^ID {14} {2}PURPOSE +EXPIRES +USES {2}NAME {2}GROUPS {2}MADE BY$/],
  [["log"], /^TIME +TYPE +AUTHOR +SUMMARY$/],
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
    const [header = "", ...rows] = onTerminal.stdout.split("\n");
    assert.match(header, expected);
    assert.equal(rows.join("\n"), inPipe.stdout);
    assert.equal(json.stdout, jsonInPipe.stdout);
  });
}
