import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { tempDir } from "../../support/temp-dir.ts";

/** Where a completion script is installed as the help says, and what is in the folder it is used in. */
export interface Installed {
  readonly home: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends what still runs when the test is over. */
  readonly signal: AbortSignal;
}

export interface Shell {
  readonly name: string;
  /** Below the home folder. */
  readonly place: string;
  /** What the shell offers at the end of each of these lines, sorted. */
  offers(installed: Installed, lines: readonly string[]): Promise<Offers>;
}

type Offers = readonly (readonly string[])[];

export async function install(t: TestContext, shell: Shell, script: string): Promise<Installed> {
  const home = await tempDir(t);
  const file = join(home, shell.place);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, script);
  const folder = join(home, "work");
  await mkdir(join(folder, "folder/below"), { recursive: true });
  await writeFile(join(folder, "file.csv"), "");
  const env = { HOME: home, PATH: process.env.PATH ?? "", TERM: "xterm", LC_ALL: "C.UTF-8" };
  return { home, folder, env, signal: t.signal };
}

const END = "--end of the offers--";

/** Runs a program that prints what is offered at each line, with `END` after each. */
async function listed(
  { folder, env, signal }: Installed,
  program: string,
  args: readonly string[],
): Promise<Offers> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env, signal });
  return listsIn(stdout);
}

const listsIn = (text: string): Offers =>
  text
    .split(`${END}\n`)
    .slice(0, -1)
    .map((list) => list.split("\n").filter((word) => word !== ""))
    .map((list) => [...new Set(list.map((word) => word.replace(/\/$/, "")))].sort());

export const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** As bash splits a line, with `=` as a word of its own. */
const wordsOf = (line: string): readonly string[] =>
  line
    .split(" ")
    .flatMap((word) => (/^--[^=]+=/.test(word) ? word.split(/(=)/) : [word]))
    .filter((word, at, all) => word !== "" || (at === all.length - 1 && all[at - 1] !== "="));

export const bash: Shell = {
  name: "bash",
  place: ".local/share/bash-completion/completions/latchkey",
  offers(installed, lines) {
    const asked = lines.map((line) => {
      const words = wordsOf(line);
      return [
        `COMP_WORDS=(${words.map(inQuotes).join(" ")}) COMP_CWORD=${words.length - 1}`,
        `_latchkey latchkey; printf '%s\\n' "\${COMPREPLY[@]}" '${END}'`,
      ].join("\n");
    });
    const program = [`. ${inQuotes(join(installed.home, bash.place))}`, ...asked].join("\n");
    return listed(installed, "bash", ["--norc", "--noprofile", "-c", program]);
  },
};

export const fish: Shell = {
  name: "fish",
  place: ".config/fish/completions/latchkey.fish",
  offers(installed, lines) {
    const asked = lines.map(
      (line) => `complete -C ${inQuotes(line)} | string replace -r '\\t.*' ''; echo '${END}'`,
    );
    // fish looks for completions of what is a command.
    const program = ["function latchkey; end", ...asked].join("\n");
    return listed(installed, "fish", ["-c", program]);
  },
};

/** The line editor notes what is added to its list, for each of the lines in turn. */
const ZSH_PROBE = `
fpath=($HOME/functions $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  local -a added
  if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
    builtin compadd -O added "$@"
    print -rl -- $added >>$HOME/offers
  fi
  builtin compadd "$@"
}
zle-line-init() {
  local line
  for line in "\${lines[@]}"; do
    BUFFER=$line CURSOR=$#line
    zle list-choices
    print -r -- '${END}' >>$HOME/offers
  done
  BUFFER=exit
  zle accept-line
}
zle -N zle-line-init
`;

export const zsh: Shell = {
  name: "zsh",
  place: "functions/_latchkey",
  async offers({ home, folder, env, signal }, lines) {
    const probe = `lines=(${lines.map(inQuotes).join(" ")})\n${ZSH_PROBE}`;
    await writeFile(join(home, ".zshrc"), probe);
    // The line editor wants a terminal.
    const child = spawn("script", ["-qec", "zsh -d -i", "/dev/null"], {
      cwd: folder,
      env: { ...env, SHELL: "/bin/sh" },
      stdio: ["pipe", "ignore", "inherit"],
      signal,
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`zsh ended with ${code}`);
    return listsIn(await readFile(join(home, "offers"), "utf8"));
  },
};

export const shells: readonly Shell[] = [bash, zsh, fish];
