import type { Random } from "../simulation/random.ts";

const MAX_LENGTH = 4_096;
const MAX_CHANGES = 4;
const ODD = [
  "\0",
  "\t",
  "\n",
  "\r\n",
  " ",
  "%",
  "%2",
  "%00",
  "%ff",
  "%C3%A9",
  "\\",
  "/",
  "//",
  '"',
];
const MORE_ODD = [
  "'",
  ",",
  ";",
  "=",
  "&",
  "?",
  "#",
  "@",
  ":",
  ".",
  "-",
  "_",
  "+",
  "[",
  "]",
  "{",
  "}",
];
const NUMBERS = ["0", "-1", "1e999", "4294967296", "65536", "255", "0.5", "NaN", "9".repeat(40)];
const LETTERS = [
  "\u007f",
  "\u0080",
  "é",
  "ÿ",
  "\ud83d\udd11",
  "\ud800",
  "\u3002",
  "\ufeff",
  "\uff0f",
];
const PIECES = [...ODD, ...MORE_ODD, ...NUMBERS, ...LETTERS];

/** Changes a text at some places, also with parts of another one and words that the parser knows. */
export function mutate(
  text: string,
  other: string,
  words: readonly string[],
  random: Random,
): string {
  let changed = text;
  for (let left = 1 + random.below(MAX_CHANGES); left > 0; left -= 1) {
    changed = changeOnce(changed, other, words, random);
  }
  return changed.slice(0, MAX_LENGTH);
}

function changeOnce(text: string, other: string, words: readonly string[], random: Random): string {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + 1 + Math.floor(random.next() ** 3 * 40));
  const [before, part, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  const put = (middle: string): string => before + middle + after;
  switch (random.below(9)) {
    case 0:
      return put("");
    case 1:
      return put(part + part);
    case 2:
      return put(part.repeat(1 + random.below(100)));
    case 3:
      return put(part + (random.pick(PIECES) ?? ""));
    case 4:
      return put(random.pick(PIECES) ?? "");
    case 5:
      return put(part + (random.pick(words) ?? ""));
    case 6:
      return put(String.fromCharCode(random.below(256)) + part.slice(1));
    case 7: {
      const from = random.below(other.length + 1);
      return put(other.slice(from, from + 1 + random.below(60)));
    }
    default:
      return put(encodeURIComponent(part.toWellFormed()));
  }
}
