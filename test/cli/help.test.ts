import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commands as entries } from "../../src/cli/commands.ts";
import { listCommandOptions } from "../../src/cli/help.ts";
import { settings } from "../../src/gate/settings/table.ts";
import { outputOf, runCommand } from "../support/command.ts";

test("--version, -v and version print the version of the package", async () => {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  for (const word of ["--version", "-v", "version"]) {
    assert.equal(await outputOf([word]), `${JSON.parse(file).version}\n`);
  }
});

test("--help, -h and help list every command in its group", async () => {
  for (const flag of ["--help", "-h", "help"]) {
    const groups = (await outputOf([flag])).split("\n\n").flatMap((part) => {
      const [, group, rows = ""] = /^(\w+):\n([\s\S]*)$/.exec(part) ?? [];
      return [...rows.matchAll(/^ {2}(\S+(?: \S+)*) {3,}[A-Z]/gm)].map(([, name]) => [group, name]);
    });
    const all = entries.map(({ group, name }) => [group, name]);
    assert.deepEqual(groups, all);
  }
});

test("wraps help to 80 columns in a pipe, and to the width of a terminal", async () => {
  for (const columns of [80, 50]) {
    const text = await outputOf(["serve", "--help"], columns === 80 ? {} : { columns });
    const lines = text.split("\n").filter((one) => !/^ {2}\S/.test(one));
    const long = lines.filter((one) => one.length > columns && /\S \S/.test(one));
    assert.deepEqual(long, []);
    assert.ok(lines.some((one) => one.length > columns - 10));
  }
});

for (const { name, load } of entries) {
  test(`the help of ${name} lists options, settings with defaults, and examples`, async () => {
    const stdout = await outputOf([...name.split(" "), "--help"], { env: { PORT: "many" } });
    const { command } = await load();
    const listed = [...stdout.matchAll(/^ {2}(?:-h, )?--([a-z-]+)(?: <[\w=]+>)? {3,}\S/gm)];
    const own = listCommandOptions(command).map((option) => option.name);
    const options = listed.map(([, option]) => option);
    assert.deepEqual(options, own);
    const shown = [
      ...stdout
        .replace(/\n {6}(?=\S)/g, " ")
        .matchAll(/^ {2}([A-Z_\d]+)(?:, --(\S+))? \(default: (.*?)\) (.*)$/gm),
    ];
    const [, examples = ""] = /\n\nExamples:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    assert.match(examples, new RegExp(`^( {2}.*latchkey ${name}\\b.*\\n?)+$`));
    assert.deepEqual(
      shown.map(([, ...entry]) => entry),
      settings
        .filter((one) => command.settings.includes(one.name))
        .map(({ flag, takes, about, ...one }) => {
          return [one.name, flag === "none" ? undefined : flag, one.fallback, `${takes}: ${about}`];
        }),
    );
  });
}

/** The arguments, the usage line, and commands that are listed. */
const helps: readonly (readonly [readonly string[], RegExp, readonly string[]])[] = [
  [["user", "--help"], /^Usage: latchkey user COMMAND /, ["user list", "user sign-out"]],
  [["user", "codes", "--help"], /^Usage: latchkey user codes COMMAND /, ["user codes off"]],
  [["help", "domain"], /^Usage: latchkey domain COMMAND /, ["domain add", "domain status"]],
  [["help", "user", "add"], /^Usage: latchkey user add NAME /, []],
  [["user", "add", "one", "too many", "--help"], /^Usage: latchkey user add NAME /, []],
];
for (const [args, usage, family] of helps) {
  test(`latchkey ${args.join(" ")} prints the help of that command or family`, async () => {
    const stdout = await outputOf(args);
    assert.match(stdout, usage);
    for (const name of family) assert.match(stdout, new RegExp(`^  ${name} {3,}[A-Z]`, "m"));
    if (family.length > 0) assert.doesNotMatch(stdout, /^ {2}serve/m);
  });
}

for (const [line, help] of [
  ["", "--help"],
  ["user codes", "user codes --help"],
  ["domain --port x", "domain --help"],
] as const) {
  test(`latchkey ${line} prints latchkey ${help} to standard error`, async () => {
    const stderr = await outputOf(help.split(" "));
    const args = line.split(" ").filter(Boolean);
    assert.deepEqual(await runCommand(args), { code: 2, stdout: "", stderr });
  });
}
