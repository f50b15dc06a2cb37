import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { whereInstalled } from "../../proxies/program.ts";
import { runCommand } from "../../support/command.ts";
import { INHERITED, MAIN } from "../../support/process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { onTerminal, type Typing } from "../user/terminal.ts";

const BASH_COMPLETION = "/usr/share/bash-completion/bash_completion";
const PROMPT = "ready> ";

/** Prints its arguments, except for the two commands that completion uses, which are real. */
const LATCHKEY = `#!/bin/sh
case "$1" in completion | __complete) exec '${process.execPath}' '${MAIN}' "$@" ;; esac
printf '[%s]' "$@"
echo
`;

/** A way to install the script as its help describes, and how the shell is started then. */
interface Installation {
  readonly shell: "bash" | "zsh" | "fish";
  readonly how: string;
  /** Below the home folder; without it, the start file sources the script. */
  readonly script?: string;
  readonly startFile: string;
  readonly start: string;
  readonly lines: readonly string[];
}

const BASH = { shell: "bash", startFile: ".bashrc", start: 'bash --rcfile "$HOME/.bashrc" -i' };
const ZSH = { shell: "zsh", startFile: ".zshrc", start: "zsh -d -i" };
const COMPINIT = "autoload -Uz compinit; compinit -u -D";

const installations = [
  { ...BASH, how: "sourced", lines: [`PS1='${PROMPT}'`, "source <(latchkey completion bash)"] },
  {
    ...BASH,
    how: "found by bash-completion",
    script: ".local/share/bash-completion/completions/latchkey",
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
    script: "functions/_latchkey",
    lines: [`PS1='${PROMPT}'`, "fpath=($HOME/functions $fpath)", COMPINIT],
  },
  {
    shell: "fish",
    how: "found in its folder",
    script: ".config/fish/completions/latchkey.fish",
    startFile: ".config/fish/config.fish",
    start: "fish -i",
    lines: [`function fish_prompt; echo -n '${PROMPT}'; end`, "set -g fish_greeting"],
  },
] as readonly Installation[];

/** A home folder with the script, and `work` with a file and a folder to complete. */
async function install(t: TestContext, { shell, script, startFile, lines }: Installation) {
  const home = await tempDir(t);
  const put = async (path: string, text: string): Promise<string> => {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  if (script !== undefined) {
    await put(script, (await runCommand(["completion", shell])).stdout);
  }
  await chmod(await put("bin/latchkey", LATCHKEY), 0o755);
  await put(startFile, `${lines.join("\n")}\n`);
  await put("work/with a space.csv", "");
  await mkdir(join(home, "work/folder"));
  const PATH = `${join(home, "bin")}:${process.env.PATH ?? ""}`;
  // Without this folder, fish reads every manual page of the machine in the background.
  await mkdir(join(home, ".local/share/fish/generated_completions"), { recursive: true });
  return { ...INHERITED, HOME: home, PATH, TERM: "xterm", LC_ALL: "C.UTF-8" };
}

/** What is typed, with Tab, and the arguments that result. */
const typed: readonly (readonly [line: string, args: RegExp])[] = [
  ["latchkey us\tli\t--js\t", /\[user\]\[list\]\[--json\]$/m],
  ["latchkey log --ty\tpassword_c\t", /\[log\](\[--type\]\[|\[--type=)password_change\]$/m],
  ["latchkey import with\t", /\[import\]\[with a space\.csv\]$/m],
  ["latchkey import 'with a space.csv' --form\tcs\t", /\[with a space\.csv\]\[--format\]\[csv\]$/m],
  ["latchkey serve --data-d\tfold\t", /\[serve\](\[--data-dir\]\[|\[--data-dir=)folder\/?\]$/m],
];

/** bash-completion is a package of its own. */
const needs = ({ shell, lines }: Installation): string =>
  lines.some((line) => line.includes(BASH_COMPLETION)) && !existsSync(BASH_COMPLETION)
    ? "bash-completion"
    : shell;

for (const installation of installations) {
  const { shell, how, start } = installation;
  whereInstalled(needs(installation), () => {
    test(`Tab completes in ${shell}, with the script ${how}`, async (t) => {
      const lines = [...typed.map(([line]) => line), "exit"];
      const typing: Typing = lines.map((line) => [PROMPT, `${line}\r`]);
      const env = await install(t, installation);
      const { code, shown } = await onTerminal(t, `cd "$HOME/work" && ${start}`, env, typing);
      assert.equal(code, 0, shown);
      let rest = shown;
      for (const [, args] of typed) {
        assert.match(rest, args);
        rest = rest.replace(new RegExp(`^.*?${args.source}`, "ms"), "");
      }
    });
  });
}
