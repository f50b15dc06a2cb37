import type { ValueKind } from "../../gate/settings/value-kinds.ts";
import type { Command, CommandOption } from "../command.ts";

/** What a shell has to know of a command, in the words of its table. */
export type Completable = Pick<Command, "name" | "summary" | "options" | "settings" | "operands">;

/** What can stand in the place of a command. */
export const topOptions: readonly CommandOption[] = [
  { name: "help", about: "shows this, or after a command what it takes" },
  { name: "version", about: "shows the version" },
];

export interface FirstWord {
  readonly word: string;
  readonly about: string;
  /** The commands of two words that begin with it. */
  readonly members: readonly { readonly word: string; readonly about: string }[];
}

/** The words after `latchkey`, each once. */
export function firstWords(commands: readonly Completable[]): readonly FirstWord[] {
  const words = new Set(commands.map(({ name }) => wordsOf(name)[0] ?? ""));
  return [...words].map((word) => {
    const alone = commands.find(({ name }) => name === word);
    const members = commands
      .filter(({ name }) => name.startsWith(`${word} `))
      .map(({ name, summary }) => ({ word: wordsOf(name)[1] ?? "", about: briefly(summary) }));
    const about = alone === undefined ? members.map((one) => one.word).join(", ") : alone.summary;
    return { word, about: briefly(about), members };
  });
}

export const wordsOf = (name: string): readonly string[] => name.split(" ");

/** The first sentence, without its full stop. */
export const briefly = (text: string): string => text.replace(/\.( .*)?$/s, "");

/** Without the list of its values, which are offered anyway. */
export const aboutOption = ({ about, completes = "free" }: CommandOption): string =>
  briefly(isChoice(completes) ? about.replace(/: .*$/s, "") : about);

export const isChoice = (kind: ValueKind): kind is readonly string[] => typeof kind !== "string";

/** Flags of the options that take a value. */
export const valuedFlags = (options: readonly CommandOption[]): readonly string[] =>
  options.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`);

/** A word as a POSIX shell takes it. */
export const quoted = (text: string): string =>
  isPlain(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const quotedAll = (words: readonly string[]): string => words.map(quoted).join(" ");

/** Every shell takes it as it is. */
export const isPlain = (text: string): boolean => /^[\w./-]+$/.test(text);
