import assert from "node:assert/strict";
import { test } from "node:test";
import { startLatchkey } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { CTRL_C, onTerminal } from "./user/terminal.ts";

const COLOUR = new RegExp(`${"\u001b"}\\[[\\d;]*m`);

/** The environment, and whether the output on a terminal has colours. */
const environments: readonly (readonly [
  env: Readonly<Record<string, string>>,
  "coloured" | "plain",
])[] = [
  [{}, "coloured"],
  [{ NO_COLOR: "1" }, "plain"],
  [{ FORCE_COLOR: "1", TERM: "dumb" }, "coloured"],
];

for (const [env, expected] of environments) {
  const named = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  test(`logs ${expected} with ${named.join(" and ") || "no setting"} on a terminal`, async (t) => {
    const line = "trap : INT; latchkey serve";
    const given = { DATA_DIR: await tempDir(t), PORT: "0", ...env };
    const { shown } = await onTerminal(t, line, given, [["listens on", CTRL_C]]);
    assert.match(shown, /INFO .*Latchkey listens on /);
    assert.equal(COLOUR.test(shown), expected === "coloured", shown);
  });
}

test("FORCE_COLOR does not change the server log in a pipe", async (t) => {
  const env = { DATA_DIR: await tempDir(t), PORT: "0", NO_COLOR: "", FORCE_COLOR: "3" };
  const running = startLatchkey(t, ["serve"], env);
  await running.shows(/listens on/);
  running.child.kill("SIGTERM");
  const { stdout } = await running.ended;
  for (const line of stdout.trimEnd().split("\n")) assert.ok(JSON.parse(line).level, line);
  assert.doesNotMatch(stdout, COLOUR);
});
