import { settings } from "./setting-names.ts";

/** Short names are one letter away from too many others to guess what was meant. */
const SHORTEST_GUESSED = 7;
const MOST_SLIPS = 2;

/** What a file of settings may hold besides: it is for Node, or for whatever starts the gate. */
const NOT_OURS = /^(NODE_|TZ$|PATH$|LANG$|LC_)/;

/**
 * What looks like a setting and is none: surely ours (`LATCHKEY_…`), perhaps one misspelt, or in a
 * file that is ours, where an environment holds much that is not.
 */
export function unknownNames(
  inEnvironment: readonly string[],
  inFile: readonly string[],
): {
  readonly unknown: readonly string[];
  readonly warnings: string[];
} {
  const unknown: string[] = [];
  const warnings: string[] = [];
  const strange: string[] = [];
  const names = [...inEnvironment, ...inFile];
  // A Kubernetes service named latchkey puts variables of this form into every container.
  const linked = names.includes("LATCHKEY_SERVICE_HOST");
  for (const name of new Set(names)) {
    if (linked && /^LATCHKEY_(SERVICE|PORT)(_|$)/.test(name)) continue;
    const meant = nearest(name.replace(/^LATCHKEY_/, ""));
    if (name.startsWith("LATCHKEY_")) {
      unknown.push(
        `${name} is not a setting${meant === undefined ? "" : `: it is called ${meant}`}`,
      );
    } else if (meant !== undefined && meant !== name && name.length >= SHORTEST_GUESSED) {
      warnings.push(`${name} is not a setting: was ${meant} meant?`);
    } else if (meant !== name && inFile.includes(name) && !NOT_OURS.test(name)) {
      strange.push(name);
    }
  }
  if (strange.length > 0) {
    warnings.push(`--env-file has what is not a setting: ${strange.join(", ")}`);
  }
  return { unknown, warnings };
}

function nearest(name: string): string | undefined {
  const known = settings.map((one) => one.name);
  if (known.includes(name)) return name;
  // `SETUP_TOKEN` for `SETUP_TOKEN_FILE`: the thing itself instead of where it is.
  if (known.includes(`${name}_FILE`)) return `${name}_FILE`;
  return known.find((one) => one.length >= SHORTEST_GUESSED && slips(one, name) <= MOST_SLIPS);
}

/** The word that was probably meant by another, if one of these is near enough. */
export function nearestOf(words: readonly string[], given: string): string | undefined {
  const near = words
    .map((word) => ({ word, slips: slips(word, given) }))
    .filter(
      (one) => one.slips <= MOST_SLIPS && one.slips < Math.min(one.word.length, given.length),
    );
  return near.toSorted((a, b) => a.slips - b.slips)[0]?.word;
}

/** How many letters have to be put in, left out or exchanged to get from one text to the other. */
function slips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const exchanged = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
