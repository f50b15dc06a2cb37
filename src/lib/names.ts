import { Fault } from "./fault.ts";
import { digestText } from "./random-text.ts";

/** The limit applies to every name that people choose, in UTF-8 bytes. */
const MAX_NAME_BYTES = 255;

/** The limit applies to the label of a guest, since the username may add a suffix to the label. */
const MAX_LABEL_BYTES = 240;

/** Matches characters that move the cursor, break a line or reverse the direction of a text. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/u;

/** Returns whether an API key, a passkey or a link can have this name. */
export const isUsableName = (name: string): boolean =>
  Buffer.byteLength(name) <= MAX_NAME_BYTES && !CONTROLS.test(name);

/** Matches invisible and unassigned characters, and all spaces except the plain space. */
const UNSEEN = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;

/**
 * Each pattern matches a text whose letters come from one of the scripts that look alike, or from a
 * language that mixes its scripts with Latin.
 */
const ONE_SCRIPT: readonly RegExp[] = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
  ["Greek"],
  ["Cyrillic"],
].map((scripts) => {
  const letters = scripts.map((script) => `\\p{Script=${script}}`).join("");
  return new RegExp(`^[${letters}\\p{Script=Common}\\p{Script=Inherited}]*$`, "u");
});

const OFTEN_MIXED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/**
 * Returns whether a new account can have this username: apps, proxies and people must not confuse
 * it with another username. `nameKeyOf` shows whether another account has it. The setup accepts any
 * username.
 *
 * @throws {Fault} `invalid_option` for another type, which plain JavaScript can pass.
 */
export function isUsableUsername(username: string, maxBytes: number = MAX_NAME_BYTES): boolean {
  if (typeof username !== "string")
    throw new Fault("invalid_option", "username has a value of the wrong type");
  if (Buffer.byteLength(username) > maxBytes) return false;
  if (UNSEEN.test(username) || username.trim() !== username) return false;
  const normalized = username.normalize("NFKC");
  return !OFTEN_MIXED.test(normalized) || ONE_SCRIPT.some((script) => script.test(normalized));
}

/** Returns whether a label can become the username of a guest, like `isUsableUsername`. */
export const isUsableLabel = (label: string): boolean => isUsableUsername(label, MAX_LABEL_BYTES);

/** Maps lower-case letters to the Latin letter that looks like them in upper or lower case. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  // The text lists pairs of letters: first the Cyrillic pairs, then the Greek pairs.
  "аaвbеeѕsіiјjкkмmнhһhоoрpсcтtуyхxԁdԛqԝwѵvӏl αaβbγyεeζzηnιiκkμmνvοoρpτtυuχx"
    .match(/\S{2}/gu)
    ?.map(([letter = "", latin = ""]) => [letter, latin]) ?? [],
);

const MARKS_AND_UNSEEN = /[\u0300-\u036f\p{C}\p{DI}]/gu;

/**
 * Returns one digest for all names that differ only in case, compatibility forms, accents, spaces,
 * invisible characters, or Greek and Cyrillic letters that look Latin: one account can ever have one
 * of them. A digest hides removed names. A new algorithm needs a schema that refills the table.
 *
 * @example
 * ```ts
 * const isTaken = usedNames.has(nameKeyOf(username)); // "Ann", "ANN" and "ánn" are one name
 * ```
 */
export function nameKeyOf(username: string): string {
  // Upper case turns `ß` into `SS`, and both small sigmas into one letter, but leaves `ẞ` as it is.
  const lower = username.normalize("NFKD").toLowerCase();
  const folded = lower.toUpperCase().toLowerCase().normalize("NFKD");
  const letters = folded
    .replace(MARKS_AND_UNSEEN, (character) => (/\s/.test(character) ? " " : ""))
    .replace(
      /[\p{Script=Greek}\p{Script=Cyrillic}]/gu,
      (letter) => LOOKALIKES.get(letter) ?? letter,
    )
    .replace(/[\s\p{Z}]+/gu, " ");
  return digestText(letters.trim());
}
