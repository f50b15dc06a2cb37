import type { ValueKind } from "../gate/settings/values.ts";
import type { Command, CommandEntry } from "./command.ts";
import { findCommand } from "./commands.ts";
import { listAllOptions } from "./help.ts";
import { parseTokens } from "./usage.ts";

/**
 * Completes the last of the words that follow `latchkey`. Each line is a word with its description,
 * which the shell filters, or `:file` for names on disk.
 */
export async function complete(words: readonly string[]): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const { family, entry, rest } = findCommand(before);
  if (entry !== undefined) {
    const { command } = await entry.load();
    return completeArgument(command, rest, words.at(-1) ?? "");
  }
  return rest.length > 0 ? [] : completeCommand(family, before.length);
}

const formatOffer = (word: string, about: string): string => `${word}\t${about}`;

/** Lists the possible words at a position, each with its summary or the words that may follow. */
function completeCommand(family: readonly CommandEntry[], at: number): readonly string[] {
  const possible = family.map(({ name, summary }) => {
    const [word = "", ...following] = name.split(" ").slice(at);
    return { word, about: following.join(" ") || summary };
  });
  const offers = [...Map.groupBy(possible, ({ word }) => word)].map(([word, members]) =>
    formatOffer(word, members.map(({ about }) => about).join(", ")),
  );
  if (at > 0) return offers;
  return [
    ...offers,
    formatOffer("--help", "show the commands"),
    formatOffer("--version", "show the version"),
  ];
}

function completeArgument(
  command: Command,
  args: readonly string[],
  current: string,
): readonly string[] {
  const options = listAllOptions(command);
  const tokens = parseTokens(args, options);
  const last = tokens.at(-1);
  const pending = last?.kind === "option" && last.value === undefined && last.name;
  const option = options.find(({ name, value }) => value !== undefined && name === pending);
  if (option !== undefined) return listOffers(option.completes);
  const hasEnded = tokens.some(({ kind }) => kind === "option-terminator");
  const { operands = [] } = command;
  const operand = tokens.filter(({ kind }) => kind === "positional").length;
  if (hasEnded || (!current.startsWith("-") && operand < operands.length)) {
    return listOffers(operands[operand]?.completes);
  }
  return options.map(({ name, about }) => formatOffer(`--${name}`, about.replace(/[:;].*$/s, "")));
}

function listOffers(kind: ValueKind = "free"): readonly string[] {
  if (kind === "file" || kind === "folder") return [":file"];
  return kind === "free" ? [] : kind.map((word) => formatOffer(word, ""));
}
