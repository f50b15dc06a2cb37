import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { runCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";
import { onTerminal } from "./user/terminal.ts";

const ESCAPE = "\u001b";
const COLOUR = new RegExp(`${ESCAPE}\\[\\d+m`, "g");

test("colours only the marks on a terminal, unless NO_COLOR is set", async (t) => {
  // One finding of each kind: ok, a hint and a problem.
  const env = {
    DATA_DIR: await tempDir(t),
    TRUSTED_PROXIES: "0.0.0.0/0",
    AUTH_SECRET: randomBytes(32).toString("base64url"),
    PORT: "0",
  };
  const coloured = await onTerminal(t, "latchkey doctor", env);
  for (const [mark, colour] of [
    ["✓ ok", 32],
    ["! hint", 33],
    ["✗ PROBLEM", 31],
  ] as const) {
    assert.ok(coloured.shown.includes(`${ESCAPE}[${colour}m${mark}${ESCAPE}[39m`), mark);
  }
  const plain = await onTerminal(t, "latchkey doctor", { ...env, NO_COLOR: "1" });
  assert.ok(!plain.shown.includes(ESCAPE));
  // The free space of the disk is not under the test's control.
  const words = (shown: string): string => shown.replace(/\d+ [MG]iB/, "some");
  assert.equal(words(plain.shown), words(coloured.shown.replaceAll(COLOUR, "")));
});

test("escapes control characters of other people's input", async (t) => {
  const env = { DATA_DIR: `${await tempDir(t)}/\u001b[2Jdata` };
  const { stdout } = await runCommand(["doctor"], { env });
  assert.ok(!stdout.includes(ESCAPE));
  assert.ok(stdout.includes("\\u{1b}[2Jdata does not exist yet"));
});
