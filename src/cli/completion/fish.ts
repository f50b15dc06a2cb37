import type { ValueKind } from "../../gate/settings/value-kinds.ts";
import type { CommandOption, Operand } from "../command.ts";
import { optionsOf } from "../help.ts";
import {
  aboutOption,
  briefly,
  type Completable,
  firstWords,
  isChoice,
  isPlain,
  topOptions,
  valuedFlags,
  wordsOf,
} from "./words.ts";

export function fishCompletion(commands: readonly Completable[]): string {
  return `# fish completion for latchkey

# Whether the cursor is right behind these words.
function __latchkey_at
    set -l words (commandline -opc)
    set -e words[1]
    test "$words" = "$argv"
end

# Whether these are the words of the command.
function __latchkey_is
    set -l words (commandline -opc)
    set -e words[1]
    set -l many (count $argv)
    test (count $words) -ge $many; and test "$words[1..$many]" = "$argv"
end

# Whether the cursor is at this operand: its number, how many words the command has, and its options with a value.
function __latchkey_operand
    set -l words (commandline -opc)
    set -l operand 1
    set -l is_value no
    for word in $words[(math 2 + $argv[2])..-1]
        if test $is_value = yes
            set is_value no
        else if contains -- $word $argv[3..-1]
            set is_value yes
        else if not string match -q -- '-?*' $word
            set operand (math $operand + 1)
        end
    end
    test $is_value = no -a $operand -eq $argv[1]
end

complete -c latchkey -f
${topOptions.map((option) => line("__latchkey_at", optionWords(option), option.about)).join("\n")}
${firstWords(commands).flatMap(wordLines).join("\n")}
${commands.flatMap(commandLines).join("\n")}
`;
}

function wordLines({ word, about, members }: ReturnType<typeof firstWords>[number]) {
  return [
    line("__latchkey_at", ["-a", quoted(quoted(word))], about),
    ...members.map((one) =>
      line(`__latchkey_at ${word}`, ["-a", quoted(quoted(one.word))], one.about),
    ),
  ];
}

function commandLines(command: Completable): readonly string[] {
  const options = optionsOf(command);
  const when = `__latchkey_is ${command.name}`;
  const atOperand = (at: number): string =>
    [
      `${when}; and __latchkey_operand ${at} ${wordsOf(command.name).length}`,
      ...valuedFlags(options),
    ].join(" ");
  return [
    ...options.map((option) => line(when, optionWords(option), aboutOption(option))),
    ...(command.operands ?? []).flatMap((operand, at) => operandLines(operand, atOperand(at + 1))),
  ];
}

function optionWords({ name, value, completes = "free" }: CommandOption): readonly string[] {
  if (name === "help") return ["-s", "h", "-l", "help"];
  if (value === undefined) return ["-l", name];
  return ["-l", name, "-r", ...offer(completes)];
}

function operandLines({ completes = "free" }: Operand, when: string): readonly string[] {
  return completes === "free" ? [] : [line(when, offer(completes), "")];
}

function offer(kind: ValueKind): readonly string[] {
  if (isChoice(kind)) return ["-f", "-a", quoted(kind.map(quoted).join(" "))];
  const folders = quoted("(__fish_complete_directories)");
  return { file: ["-F"], folder: ["-f", "-a", folders], free: ["-f"] }[kind];
}

function line(when: string, words: readonly string[], about: string): string {
  const description = about === "" ? [] : ["-d", quoted(briefly(about))];
  return ["complete", "-c", "latchkey", "-n", quoted(when), ...words, ...description].join(" ");
}

/** In single quotes, fish gives a meaning to the backslash, too. */
const quoted = (text: string): string =>
  isPlain(text) ? text : `'${text.replace(/[\\']/g, "\\$&")}'`;
