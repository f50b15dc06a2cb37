import assert from "node:assert/strict";
import { test } from "node:test";
import { COMPLETE, type Command, type CommandEntry } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/commands.ts";
import { complete } from "../../../src/cli/complete.ts";
import { listAllOptions } from "../../../src/cli/help.ts";
import type { ValueKind } from "../../../src/gate/settings/values.ts";
import { outputOf } from "../../support/command.ts";

type LoadedCommand = CommandEntry & Command;

const loaded: readonly LoadedCommand[] = await Promise.all(
  commands.map(async (entry) => ({ ...entry, ...(await entry.load()).command })),
);

/** The words offered at the end of a line after `latchkey `, or what is completed from the disk. */
async function offered(line: string): Promise<readonly string[] | string> {
  const lines = await complete(line.split(" "));
  const [, kind] = /^:(.+)/.exec(lines[0] ?? "") ?? [];
  if (kind !== undefined) return kind;
  return lines.map((one) => one.split("\t")[0] ?? "");
}

const valuesOf = (kind: ValueKind = "free") => {
  if (kind === "free") return [];
  return kind === "folder" ? "file" : kind;
};

test("offers every first word once, with the options that need no command", async () => {
  const firstWords = new Set(commands.map(({ name }) => name.split(" ")[0]));
  assert.deepEqual(await offered(""), [...firstWords, "--help", "--version"]);
});

test("offers the second words of a family, with what they are", async () => {
  assert.deepEqual(await offered("domain "), ["add", "status", "remove"]);
  const lines = await complete([""]);
  assert.ok(lines.includes("serve\tStart the gate"));
  assert.ok(lines.includes("domain\tadd, status, remove"));
});

test("offers every option of every command, and no others", async () => {
  for (const command of loaded) {
    const known = listAllOptions(command).map(({ name }) => `--${name}`);
    assert.deepEqual(await offered(`${command.name} --`), known, command.name);
  }
});

test("offers the values of every option that takes one", async () => {
  for (const command of loaded) {
    for (const { name, value, completes } of listAllOptions(command)) {
      if (value === undefined) continue;
      assert.deepEqual(await offered(`${command.name} --${name} `), valuesOf(completes), name);
    }
  }
});

test("offers every operand at its position", async () => {
  for (const { name, operands = [] } of loaded) {
    for (const [at, { completes }] of operands.entries()) {
      const line = `${name} ${"word ".repeat(at)}`;
      assert.deepEqual(await offered(line), valuesOf(completes), line);
    }
  }
});

const lines: readonly (readonly [line: string, what: string, expected: readonly string[]])[] = [
  ["nothing ", "nothing after an unknown command", []],
  ["--json ", "nothing after an option without a command", []],
  ["completion bash ", "options where no operand is left", ["--help"]],
  ["completion -- --", "operands after two dashes, even for a dash", ["bash", "zsh", "fish"]],
];
for (const [line, what, expected] of lines) {
  test(`offers ${what}: latchkey ${line}`, async () => {
    assert.deepEqual(await offered(line), expected);
  });
}

test("does not count the value of an option as an operand", async () => {
  assert.equal(await offered("import --data-dir x --format csv "), "file");
  assert.equal(await offered("import --data-dir=x "), "file");
});

test("prints a word and its description per line, and reads no settings", async () => {
  const env = { DATA_DIR: "/nowhere", PORT: "not a number" };
  assert.match(await outputOf(["__complete", "log", "--type", ""], { env }), /^(\w+\t\n)+$/);
  assert.equal(await outputOf(["__complete", "import", ""]), ":file\n");
});

test("prints a script that completes in each shell", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = await outputOf(["completion", shell]);
    assert.match(script, new RegExp(`^#.*\\n[^]*\\blatchkey ${COMPLETE} `));
  }
});
