const MAX_EDITS = 2;

/**
 * Returns the same text for names that mean the same, such as `TRUST_PROXY`, `trusted-proxies` and
 * `proxiesTrusted`.
 */
export const normalizeName = (name: string): string =>
  name
    .split(/[_.-]+|(?<=[a-z\d])(?=[A-Z])/)
    .map((word) =>
      word
        .toUpperCase()
        .replace(/IES$/, "Y")
        .replace(/(ED|S)$/, ""),
    )
    .sort()
    .join();

/** Finds the word nearest to a misspelt word. Returns `undefined` if no word is near enough. */
export function findNearest(words: readonly string[], misspelt: string): string | undefined {
  const near = words
    // Words of other lengths need more edits. Without this filter, the counts for all variables
    // took a fifth of the start.
    .filter((word) => Math.abs(word.length - misspelt.length) <= MAX_EDITS)
    .map((word) => ({ word, edits: countEdits(word, misspelt) }))
    .filter(
      (candidate) =>
        candidate.edits <= MAX_EDITS &&
        candidate.edits < Math.min(candidate.word.length, misspelt.length),
    );
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.word;
}

/** Computes the Levenshtein distance: the number of letters to insert, delete or replace. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
