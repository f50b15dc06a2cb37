import type { ValueKind } from "../gate/settings/values.ts";
import type { Command, CommandEntry } from "./command.ts";
import { optionsOf } from "./help.ts";

/** The hidden command that the completion scripts call with the words before the cursor. */
export const COMPLETE = "__complete";

/** The command that the arguments begin with, and what follows its name. */
export function findCommand(
  commands: readonly CommandEntry[],
  args: readonly string[],
): { readonly entry: CommandEntry; readonly rest: readonly string[] } | undefined {
  const entry = commands.find(({ name }) => name.split(" ").every((word, at) => word === args[at]));
  return entry && { entry, rest: args.slice(entry.name.split(" ").length) };
}

/**
 * Completes the last of the words that follow `latchkey`. One line each: a word and its description,
 * which the shell filters, or `:file` or `:folder` for names on disk.
 */
export async function complete(
  commands: readonly CommandEntry[],
  words: readonly string[],
): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const found = findCommand(commands, before);
  if (found === undefined) return commandWords(commands, before);
  const { command } = await found.entry.load();
  return completeArgument(command, found.rest, words.at(-1) ?? "");
}

const offer = (word: string, about: string): string => `${word}\t${about}`;

function commandWords(
  commands: readonly CommandEntry[],
  before: readonly string[],
): readonly string[] {
  const at = before.length;
  const possible = commands
    .map(({ name, summary }) => ({ words: name.split(" "), summary }))
    .filter(({ words }) => before.every((word, index) => words[index] === word));
  const offers = [...Map.groupBy(possible, ({ words }) => words[at] ?? "")].map(([word, family]) =>
    offer(
      word,
      family
        .map(({ words, summary }) =>
          words.length > at + 1 ? words.slice(at + 1).join(" ") : summary,
        )
        .join(", "),
    ),
  );
  if (at > 0) return offers;
  return [...offers, offer("--help", "show the commands"), offer("--version", "show the version")];
}

function completeArgument(
  command: Command,
  args: readonly string[],
  current: string,
): readonly string[] {
  const options = optionsOf(command);
  const valued = (flag: string) =>
    options.find(({ name, value }) => value !== undefined && `--${name}` === flag);
  let operand = 0;
  let ended = false;
  let pending: ReturnType<typeof valued>;
  for (const word of args) {
    if (pending !== undefined) pending = undefined;
    else if (ended || !/^-./.test(word)) operand += 1;
    else if (word === "--") ended = true;
    else pending = valued(word);
  }
  if (pending !== undefined) return valuesOf(pending.completes);
  const [, flag] = /^(--[^=]+)=/.exec(current) ?? [];
  if (!ended && flag !== undefined) return valuesOf(valued(flag)?.completes, `${flag}=`);
  const { operands = [] } = command;
  if (ended || (!current.startsWith("-") && operand < operands.length)) {
    return valuesOf(operands[operand]?.completes);
  }
  return options.map(({ name, about }) => offer(`--${name}`, about.replace(/[:;].*$/s, "")));
}

function valuesOf(kind: ValueKind = "free", prefix = ""): readonly string[] {
  if (kind === "file" || kind === "folder") return [`:${kind}`];
  return kind === "free" ? [] : kind.map((word) => offer(`${prefix}${word}`, ""));
}
