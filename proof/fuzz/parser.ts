/** A parser of untrusted input, with the properties that must hold for every input. */
export interface Parser {
  /** Inputs to begin with. */
  readonly seeds: readonly string[];
  /** Words that the parser knows. */
  readonly words: readonly string[];
  /** Longer than any input may take, also on a busy machine. */
  readonly maxMs: number;
  /** Parses the text. @throws if the result is wrong */
  check(text: string): void | Promise<void>;
}
