import type { ValueKind } from "../../gate/settings/value-kinds.ts";
import type { CommandOption, Operand } from "../command.ts";
import { optionsOf } from "../help.ts";
import {
  aboutOption,
  briefly,
  type Completable,
  type FirstWord,
  firstWords,
  isChoice,
  quoted,
  topOptions,
} from "./words.ts";

/** To be found by `compinit` as `_latchkey`, or evaluated in a start file after it. */
export function zshCompletion(commands: readonly Completable[]): string {
  const words = firstWords(commands);
  const top = topOptions.map(({ name, about }) => described(`--${name}`, about));
  return `#compdef latchkey

_latchkey() {
  local -a words_here options_here
  local command=$words[2]
  local -i taken=1
  if ((CURRENT == 2)); then
    words_here=(
${listOf(words)}
    )
    options_here=(
${top.map((line) => `      ${line}`).join("\n")}
    )
    _describe -t commands command words_here
    _describe -o -t options option options_here
    return
  fi
  case $command in
${words.flatMap(family).join("\n")}
  esac
  shift $taken words
  ((CURRENT -= taken))
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}

# Found by compinit, this file is the body of the function; evaluated, it is not.
if [[ $funcstack[1] == _latchkey ]]; then
  _latchkey "$@"
else
  compdef _latchkey latchkey
fi
`;
}

const listOf = (words: readonly Pick<FirstWord, "word" | "about">[]): string =>
  words.map(({ word, about }) => `      ${described(word, about)}`).join("\n");

function family({ word, members }: FirstWord): readonly string[] {
  if (members.length === 0) return [];
  return [
    `    ${quoted(word)})
      if ((CURRENT == 3)); then
        words_here=(
${listOf(members)}
        )
        _describe -t commands command words_here
        return
      fi
      command="$command $words[3]" taken=2
      ;;`,
  ];
}

function commandCase(command: Completable): string {
  const { name, operands = [] } = command;
  const specs = [...optionsOf(command).flatMap(optionSpecs), ...operands.map(operandSpec)];
  return `    ${quoted(name)})
      _arguments -S \\
${specs.map((spec) => `        ${quoted(spec)}`).join(" \\\n")}
      ;;`;
}

function optionSpecs(option: CommandOption): readonly string[] {
  const { name, value, completes = "free" } = option;
  const text = `[${escaped(aboutOption(option))}]`;
  if (name === "help") return [`(- *)-h${text}`, `(- *)--help${text}`];
  if (value === undefined) return [`--${name}${text}`];
  return [`--${name}=${text}:${escaped(value)}:${action(completes)}`];
}

function operandSpec({ name, need, completes = "free" }: Operand, at: number): string {
  const colon = need === "required" ? ":" : "::";
  return `${at + 1}${colon}${escaped(name)}:${action(completes)}`;
}

function action(kind: ValueKind): string {
  if (isChoice(kind)) return `(${kind.map((word) => word.replace(/[^\w.-]/g, "\\$&")).join(" ")})`;
  return { file: "_files", folder: "_files -/", free: " " }[kind];
}

/** What ends a part of a specification for `_arguments`. */
const escaped = (text: string): string => text.replace(/[\\:[\]]/g, "\\$&");

/** For `_describe`. */
const described = (word: string, about: string): string =>
  quoted(`${word.replace(/[\\:]/g, "\\$&")}:${briefly(about)}`);
