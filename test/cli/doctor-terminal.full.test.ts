import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { runCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";
import { onTerminal } from "./user/terminal.ts";

const ESCAPE = "\u001b";
const COLOUR = new RegExp(`${ESCAPE}\\[\\d+m`, "g");

/** One finding of each kind: ok, a hint and a problem. */
async function exampleEnv(t: Parameters<typeof tempDir>[0]) {
  return {
    DATA_DIR: await tempDir(t),
    TRUSTED_PROXIES: "0.0.0.0/0",
    AUTH_SECRET: randomBytes(32).toString("base64url"),
    PORT: "0",
  };
}

test("prints words without colours in a pipe: one line per finding, the remedy below", async (t) => {
  const env = { ...(await exampleEnv(t)), NO_COLOR: "" };
  const { code, stdout, stderr } = await runCommand(["doctor"], { env });
  assert.deepEqual([code, stderr], [1, ""]);
  assert.ok(!stdout.includes(ESCAPE));
  const lines = stdout.trimEnd().split("\n");
  assert.match(lines.find((line) => line.startsWith("ok")) ?? "", /^ok {6}\S/);
  const hint = lines.findIndex((line) => /^hint {4}limit {8}each IPv6 address/.test(line));
  assert.match(lines[hint + 1] ?? "", /^ {21}set LIMIT_IPV6_PREFIX/);
  const wrong = lines.findIndex((line) => /^PROBLEM proxy {8}TRUSTED_PROXIES/.test(line));
  assert.match(lines[wrong + 1] ?? "", /^ {21}set TRUSTED_PROXIES/);
  assert.deepEqual(lines.slice(-2), [
    "1 problem found, 1 hint.",
    "To check the public URL too, add --url.",
  ]);
});

test("colours only the marks on a terminal", async (t) => {
  const env = await exampleEnv(t);
  const { code, shown } = await onTerminal(t, "latchkey doctor", env);
  assert.equal(code, 1);
  for (const [mark, colour] of [
    ["ok", 32],
    ["hint", 33],
    ["PROBLEM", 31],
  ] as const) {
    assert.ok(shown.includes(`${ESCAPE}[${colour}m${mark}${ESCAPE}[39m`), mark);
  }
  const marks = shown.split("\n").filter((line) => /^(\S+)?(ok|hint|PROBLEM)\S*\s/.test(line));
  assert.equal(shown.match(COLOUR)?.length, 2 * marks.length);
});

test("NO_COLOR removes the colours on a terminal", async (t) => {
  const env = await exampleEnv(t);
  const coloured = await onTerminal(t, "latchkey doctor", env);
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
