import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { bashCompletion } from "../../../src/cli/completion/bash.ts";
import { fishCompletion } from "../../../src/cli/completion/fish.ts";
import type { Completable } from "../../../src/cli/completion/words.ts";
import { zshCompletion } from "../../../src/cli/completion/zsh.ts";
import { whereInstalled } from "../../proxies/program.ts";
import { bash, fish, install, zsh } from "./shells.ts";

/** What one shell or another would take for more than letters. */
const ODD = `it's "so" $HOME $(touch ran) \`touch ran\` (touch ran) [a]:{b,c} %d 50% \\n; # !! | & * ~ ~/x`;

const commands: readonly Completable[] = [
  {
    name: "odd",
    summary: ODD,
    options: [
      { name: "plain", about: ODD },
      { name: "text", value: "odd:[value]", about: ODD },
      { name: "pick", value: "one", about: ODD, completes: ["it's", "$HOME", "a:b", "[c]", "d*"] },
    ],
    settings: [],
    operands: [{ name: "place:[odd]", need: "optional", completes: ["(touch ran)", "e'f"] }],
  },
  { name: "set one", summary: ODD, options: [], settings: [] },
];

/** What is offered at each line; the values as each shell writes them. */
const expected = {
  "latchkey o": ["odd"],
  "latchkey set ": ["one"],
  "latchkey odd --p": ["--pick", "--plain"],
  "latchkey odd --text ": [],
  "latchkey odd --pick ": ["$HOME", "[c]", "a:b", "d*", "it's"],
  "latchkey odd ": ["(touch ran)", "e'f"],
} as const;

for (const { shell, script } of [
  { shell: bash, script: bashCompletion },
  { shell: zsh, script: zshCompletion },
  { shell: fish, script: fishCompletion },
]) {
  whereInstalled(shell.name, () => {
    test(`${shell.name} takes what stands in a description or a value for letters`, async (t) => {
      const installed = await install(t, shell, script(commands));
      const lists = await shell.offers(installed, Object.keys(expected));
      const words = lists.map((list) => list.filter((word) => word !== "-h"));
      assert.deepEqual(words, Object.values(expected));
      assert.deepEqual(await readdir(installed.folder), ["file.csv", "folder"]);
    });
  });
}
