import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { whereInstalled } from "../../proxies/program.ts";
import { runLatchkey } from "../../support/process.ts";
import { onTerminal, type Typing } from "../user/terminal.ts";
import { bash, fish, type Installed, inQuotes, install, type Shell, zsh } from "./shells.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
const BASH_COMPLETION = "/usr/share/bash-completion/bash_completion";
const PROMPT = "ready> ";

/** Prints its arguments, but for the script, which is the real one. */
const LATCHKEY = `#!/bin/sh
if [ "$1" = completion ]; then exec ${inQuotes(process.execPath)} ${inQuotes(MAIN)} "$@"; fi
printf '[%s]' "$@"
echo
`;

/** A shell as somebody has set it up, and how it is started. */
interface SetUp {
  readonly shell: Shell;
  readonly how: string;
  readonly startFile: string;
  readonly start: string;
  readonly lines: readonly string[];
}

const BASH = { shell: bash, startFile: ".bashrc", start: 'bash --rcfile "$HOME/.bashrc" -i' };
const ZSH = { shell: zsh, startFile: ".zshrc", start: "zsh -d -i" };
const COMPINIT = "autoload -Uz compinit; compinit -u -D";

const setUps: readonly SetUp[] = [
  { ...BASH, how: "sourced", lines: [`PS1='${PROMPT}'`, "source <(latchkey completion bash)"] },
  {
    ...BASH,
    how: "found by bash-completion",
    lines: [`PS1='${PROMPT}'`, `. ${BASH_COMPLETION}`],
  },
  {
    ...ZSH,
    how: "sourced",
    lines: [`PS1='${PROMPT}'`, COMPINIT, "source <(latchkey completion zsh)"],
  },
  {
    ...ZSH,
    how: "found in fpath",
    lines: [`PS1='${PROMPT}'`, "fpath=($HOME/functions $fpath)", COMPINIT],
  },
  {
    shell: fish,
    how: "found in its folder",
    startFile: ".config/fish/config.fish",
    start: "fish -i",
    lines: [`function fish_prompt; echo -n '${PROMPT}'; end`, "set -g fish_greeting"],
  },
];

async function installed(t: TestContext, { shell, startFile, lines, how }: SetUp) {
  const { stdout } = await runLatchkey(t, ["completion", shell.name]);
  const place = await install(t, shell, how === "sourced" ? "" : stdout);
  const bin = join(place.home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "latchkey"), LATCHKEY);
  await chmod(join(bin, "latchkey"), 0o755);
  await writeFile(join(place.home, startFile), `${lines.join("\n")}\n`);
  await writeFile(join(place.folder, "with a space.csv"), "");
  return { ...place, env: { ...place.env, PATH: `${bin}:${place.env.PATH}` } };
}

/** What is typed, Tab included, and the arguments that come of it. */
const typed: readonly (readonly [line: string, args: RegExp])[] = [
  ["latchkey us\tli\t--js\t", /\[user\]\[list\]\[--json\]$/m],
  ["latchkey log --ty\tpass\t", /\[log\](\[--type\]\[|\[--type=)password_change\]$/m],
  ["latchkey log --type=pass\t", /\[log\]\[--type=password_change\]$/m],
  ["latchkey import with\t", /\[import\]\[with a space\.csv\]$/m],
  ["latchkey pages ej\t--to fold\t", /\[pages\]\[eject\]\[--to\]\[folder\/?\]$/m],
];

async function assertTyped(t: TestContext, setUp: SetUp, place: Installed): Promise<void> {
  const typing: Typing = [...typed.map(([line]) => line), "exit"].map((line) => [
    PROMPT,
    `${line}\r`,
  ]);
  const line = `cd "$HOME/work" && ${setUp.start}`;
  const { code, shown } = await onTerminal(t, line, place.env, typing);
  assert.equal(code, 0, shown);
  let rest = shown;
  for (const [, args] of typed) {
    assert.match(rest, args);
    rest = rest.replace(new RegExp(`^.*?${args.source}`, "ms"), "");
  }
}

/** bash alone does not bring it along. */
const lacks = ({ lines }: SetUp): boolean =>
  lines.some((line) => line.includes(BASH_COMPLETION)) && !existsSync(BASH_COMPLETION);

for (const setUp of setUps) {
  whereInstalled(lacks(setUp) ? "bash-completion" : setUp.shell.name, () => {
    test(`Tab completes in ${setUp.shell.name}, with the script ${setUp.how}`, async (t) => {
      await assertTyped(t, setUp, await installed(t, setUp));
    });
  });
}
