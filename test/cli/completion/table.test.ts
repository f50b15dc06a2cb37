import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Command } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/commands.ts";
import { optionsOf } from "../../../src/cli/help.ts";
import type { ValueKind } from "../../../src/gate/settings/value-kinds.ts";
import { whereInstalled } from "../../proxies/program.ts";
import { runLatchkey } from "../../support/process.ts";
import { install, type Shell, shells } from "./shells.ts";

const loaded: readonly Command[] = await Promise.all(commands.map(({ load }) => load()));

const ON_DISK = { file: ["file.csv", "folder"], folder: ["folder"], free: [] } as const;

const offersOf = (kind: ValueKind): readonly string[] =>
  typeof kind === "string" ? ON_DISK[kind] : [...kind].sort();

/** What the shell offers at each line, with the printed script. */
async function offered(
  t: TestContext,
  shell: Shell,
  lines: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { code, stdout, stderr } = await runLatchkey(t, ["completion", shell.name]);
  assert.deepEqual([code, stderr], [0, ""]);
  const lists = await shell.offers(await install(t, shell, stdout), lines);
  assert.equal(lists.length, lines.length, "every line is answered");
  return new Map(lines.map((line, at) => [line, lists[at] ?? []]));
}

async function assertOffers(
  t: TestContext,
  shell: Shell,
  expected: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const lists = await offered(t, shell, [...expected.keys()]);
  assert.deepEqual(Object.fromEntries(lists), Object.fromEntries(expected));
}

const sorted = (words: Iterable<string>): readonly string[] => [...new Set(words)].sort();

function wordsAtEachPlace(): ReadonlyMap<string, readonly string[]> {
  const names = loaded.map(({ name }) => name.split(" "));
  const families = names.flatMap(([first, second]) => (second === undefined ? [] : [first ?? ""]));
  const secondOf = (family: string) =>
    names.flatMap(([first, second = ""]) => (first === family ? [second] : []));
  return new Map([
    ["latchkey ", sorted(names.map(([first = ""]) => first))],
    ...families.map((one) => [`latchkey ${one} `, sorted(secondOf(one))] as const),
  ]);
}

/** The flag alone: `-h` is the help as well, which not every shell says. */
const flags = (words: readonly string[]): readonly string[] =>
  words.filter((word) => word !== "-h");

for (const shell of shells) {
  whereInstalled(shell.name, () => {
    test(`${shell.name} completes every command, and every second word`, async (t) => {
      const expected = wordsAtEachPlace();
      const lists = await offered(t, shell, [...expected.keys()]);
      for (const [line, words] of expected) {
        const given = lists.get(line)?.filter((word) => !word.startsWith("-"));
        assert.deepEqual(given, words, line);
      }
    });

    test(`${shell.name} completes every option of every command, and no others`, async (t) => {
      const lines = loaded.map(({ name }) => `latchkey ${name} --`);
      const lists = await offered(t, shell, lines);
      for (const command of loaded) {
        const given = lists.get(`latchkey ${command.name} --`) ?? [];
        const known = optionsOf(command).map(({ name }) => `--${name}`);
        assert.deepEqual(flags(given), sorted(known), command.name);
      }
    });

    test(`${shell.name} completes the value of every option that takes one`, async (t) => {
      const valued = loaded.flatMap((command) =>
        optionsOf(command)
          .filter(({ value }) => value !== undefined)
          .map(({ name, completes = "free" }) => {
            return [`latchkey ${command.name} --${name} `, offersOf(completes)] as const;
          }),
      );
      await assertOffers(t, shell, new Map(valued));
    });

    test(`${shell.name} completes every operand at its place`, async (t) => {
      const places = loaded.flatMap(({ name, operands = [] }) =>
        operands.map(({ completes = "free" }, at) => {
          return [`latchkey ${name} ${"word ".repeat(at)}`, offersOf(completes)] as const;
        }),
      );
      await assertOffers(t, shell, new Map(places));
    });
  });
}
