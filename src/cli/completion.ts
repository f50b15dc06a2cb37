import { chosen } from "../gate/settings/value-kinds.ts";
import { type Command, SUCCESS } from "./command.ts";
import { commands } from "./commands.ts";
import { bashCompletion } from "./completion/bash.ts";
import { fishCompletion } from "./completion/fish.ts";
import type { Completable } from "./completion/words.ts";
import { zshCompletion } from "./completion/zsh.ts";

const shells = ["bash", "zsh", "fish"] as const;

const scripts: Readonly<
  Record<(typeof shells)[number], (commands: readonly Completable[]) => string>
> = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export const completionCommand: Command = {
  name: "completion",
  summary: "Prints the script with which a shell completes commands, options and their values.",
  operands: [{ name: "shell", need: "required", completes: shells }],
  options: [],
  settings: [],
  notes: [
    "Where the script goes (each shell looks there when it starts):",
    "  bash  latchkey completion bash > ~/.local/share/bash-completion/completions/latchkey",
    "        or, without bash-completion, in ~/.bashrc: source <(latchkey completion bash)",
    "  zsh   latchkey completion zsh > FOLDER/_latchkey, with a FOLDER that is in fpath before",
    "        compinit runs, or in ~/.zshrc after compinit: source <(latchkey completion zsh)",
    "  fish  latchkey completion fish > ~/.config/fish/completions/latchkey.fish",
  ],

  async run(_settings, options, terminal) {
    const loaded = await Promise.all(commands.map(({ load }) => load()));
    const shell = chosen(shells, options.shell) ?? "bash";
    terminal.print(scripts[shell](loaded).trimEnd());
    return SUCCESS;
  },
};
