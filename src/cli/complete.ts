import type { ValueKind } from "../gate/settings/value-kinds.ts";
import type { Command, CommandEntry } from "./command.ts";
import { optionsOf } from "./help.ts";

/** The hidden command that the completion scripts call with the words before the cursor. */
export const COMPLETE = "__complete";

/** What a shell offers for the word at the cursor: words that the shell filters, or names on disk. */
export type Offer =
  | { readonly kind: "words"; readonly words: readonly OfferedWord[] }
  | { readonly kind: "file" | "folder" };

interface OfferedWord {
  readonly word: string;
  readonly about: string;
}

interface FoundCommand {
  readonly entry: CommandEntry;
  /** What follows the command's name. */
  readonly rest: readonly string[];
}

/** The command that the arguments begin with. */
export function findCommand(
  commands: readonly CommandEntry[],
  args: readonly string[],
): FoundCommand | undefined {
  const entry = commands.find(({ name }) => name.split(" ").every((word, at) => word === args[at]));
  return entry && { entry, rest: args.slice(entry.name.split(" ").length) };
}

/** Completes the last of the words that follow `latchkey`. */
export async function complete(
  commands: readonly CommandEntry[],
  words: readonly string[],
): Promise<Offer> {
  const before = words.slice(0, -1);
  const found = findCommand(commands, before);
  if (found === undefined) return { kind: "words", words: commandWords(commands, before) };
  const { command } = await found.entry.load();
  return completeArgument(command, found.rest, words.at(-1) ?? "");
}

/** One line each: a word and its description, or `:file` or `:folder`. */
export const offerLines = (offer: Offer): readonly string[] =>
  offer.kind === "words"
    ? offer.words.map(({ word, about }) => `${word}\t${about}`)
    : [`:${offer.kind}`];

function commandWords(
  commands: readonly CommandEntry[],
  before: readonly string[],
): readonly OfferedWord[] {
  const at = before.length;
  const possible = commands.filter(({ name }) =>
    before.every((word, index) => name.split(" ")[index] === word),
  );
  const next = new Set(possible.map(({ name }) => name.split(" ")[at] ?? ""));
  const words = [...next].map((word) => {
    const those = possible.filter(({ name }) => name.split(" ")[at] === word);
    const [only] = those;
    const isFamily = only?.name.split(" ").length !== at + 1;
    const members = those.map(({ name }) =>
      name
        .split(" ")
        .slice(at + 1)
        .join(" "),
    );
    return { word, about: isFamily ? members.join(", ") : only.summary };
  });
  return at > 0
    ? words
    : [
        ...words,
        { word: "--help", about: "show the commands" },
        { word: "--version", about: "show the version" },
      ];
}

function completeArgument(command: Command, args: readonly string[], current: string): Offer {
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
  const [, flag = ""] = /^(--[^=]+)=/.exec(current) ?? [];
  if (!ended && flag !== "") return valuesOf(valued(flag)?.completes, `${flag}=`);
  const { operands = [] } = command;
  if (!ended && (current.startsWith("-") || operand >= operands.length)) {
    return {
      kind: "words",
      words: options.map(({ name, about }) => ({
        word: `--${name}`,
        about: about.replace(/[:;].*$/s, ""),
      })),
    };
  }
  return valuesOf(operands[operand]?.completes);
}

function valuesOf(kind: ValueKind = "free", prefix = ""): Offer {
  if (kind === "file" || kind === "folder") return { kind };
  const values = kind === "free" ? [] : kind;
  return { kind: "words", words: values.map((word) => ({ word: `${prefix}${word}`, about: "" })) };
}
