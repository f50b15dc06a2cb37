import type { ValueKind } from "../../gate/settings/value-kinds.ts";
import type { CommandOption } from "../command.ts";
import { optionsOf } from "../help.ts";
import {
  type Completable,
  firstWords,
  isChoice,
  quoted,
  quotedAll,
  topOptions,
  valuedFlags,
  wordsOf,
} from "./words.ts";

/** For bash from 3.2 on, with bash-completion or without. */
export function bashCompletion(commands: readonly Completable[]): string {
  const words = firstWords(commands);
  const top = [...words.map(({ word }) => word), ...topOptions.map(({ name }) => `--${name}`)];
  return `# bash completion for latchkey

_latchkey_words() {
  local word
  for word in "$@"; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done
}

# Readline itself knows best how to quote a name. Where bash is too old to ask it, names come as they are.
_latchkey_files() {
  compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$cur"))
}

_latchkey_folders() {
  compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$cur"))
}

# Which operand the cursor is at, after the words of the command and without options and their values.
_latchkey_operand() {
  local at=$1 valued=" $2 "
  operand=1
  for ((; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
      --) ended=yes ;;
      -?*)
        if [[ -z $ended && $valued == *" \${COMP_WORDS[at]} "* ]]; then
          at=$((at + 1))
          if [[ \${COMP_WORDS[at]} == = ]]; then at=$((at + 1)); fi
        elif [[ -n $ended ]]; then
          operand=$((operand + 1))
        fi
        ;;
      *) operand=$((operand + 1)) ;;
    esac
  done
}

_latchkey() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD - 1]}
  local command=\${COMP_WORDS[1]} operand ended=
  COMPREPLY=()
  # bash makes three words of --option=value.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = ]]; then
    option=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    _latchkey_words ${quotedAll(top)}
    return
  fi
  case $command in
${words.flatMap(family).join("\n")}
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}

complete -F _latchkey latchkey
`;
}

function family({ word, members }: ReturnType<typeof firstWords>[number]): readonly string[] {
  if (members.length === 0) return [];
  return [
    `    ${quoted(word)})
      if ((COMP_CWORD == 2)); then
        _latchkey_words ${quotedAll(members.map((one) => one.word))}
        return
      fi
      command="$command \${COMP_WORDS[2]}"
      ;;`,
  ];
}

function commandCase(command: Completable): string {
  const options = optionsOf(command);
  const { name, operands = [] } = command;
  const flags = quotedAll(options.map((option) => `--${option.name}`));
  const places = operands.map(({ completes = "free" }, at) => arm(String(at + 1), completes));
  return `    ${quoted(name)})
      _latchkey_operand ${wordsOf(name).length + 1} ${quoted(valuedFlags(options).join(" "))}
      if [[ -z $ended ]]; then
        case $option in
${valueArms(options).join("\n")}
        esac
        if [[ $cur == -* || $operand -gt ${operands.length} ]]; then
          _latchkey_words ${flags}
          return
        fi
      fi${places.length === 0 ? "" : `\n      case $operand in\n${places.join("\n")}\n      esac`}
      ;;`;
}

/** Options whose values are of one kind share an arm. */
function valueArms(options: readonly CommandOption[]): readonly string[] {
  const flagsOf = new Map<ValueKind, string[]>();
  for (const { name, value, completes = "free" } of options) {
    if (value === undefined) continue;
    flagsOf.set(completes, [...(flagsOf.get(completes) ?? []), quoted(`--${name}`)]);
  }
  return [...flagsOf].map(([kind, flags]) => `  ${arm(flags.join(" | "), kind)}`);
}

const arm = (pattern: string, kind: ValueKind): string =>
  `        ${pattern})${kind === "free" ? "" : ` ${offer(kind)};`} return ;;`;

function offer(kind: Exclude<ValueKind, "free">): string {
  if (isChoice(kind)) return `_latchkey_words ${quotedAll(kind)}`;
  return { file: "_latchkey_files", folder: "_latchkey_folders" }[kind];
}
