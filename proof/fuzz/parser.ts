/** A parser that strangers reach, with what must hold for every input. */
export interface Parser {
  /** Inputs to begin with. */
  readonly seeds: readonly string[];
  /** Words that the parser knows. */
  readonly words: readonly string[];
  /** Longer than any input may take, also on a busy machine. */
  readonly maxMs: number;
  /** Gives the text to the parser. Throws if the result is not one that it may have. */
  check(text: string): void | Promise<void>;
}
