import { Fault } from "./fault.ts";
import { digestText } from "./random-text.ts";

/** In UTF-8, of every name that people choose. */
const MAX_NAME_BYTES = 255;

/** Of a guest's label, which a suffix may follow in the username. */
const MAX_LABEL_BYTES = 240;

/** What moves the cursor, breaks a line or turns the direction of a text around. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_C}]/u;

/** Whether a key, a passkey or a link can have this name. */
export const isUsableName = (name: string): boolean =>
  Buffer.byteLength(name) <= MAX_NAME_BYTES && !CONTROLS.test(name);

/** Characters that cannot be seen, or that Unicode has not assigned, and all spaces but the plain one. */
const UNSEEN = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/u;

/** A text in letters of one of the scripts that look alike, or of languages that mix them with Latin. */
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
 * Whether a new account can have this username: apps and proxies must not take it for another one,
 * nor people. `nameKeyOf` tells whether another account has it. The setup takes any username.
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

/** The same for the label that becomes the username of a guest. */
export const isUsableLabel = (label: string): boolean => isUsableUsername(label, MAX_LABEL_BYTES);

/** Lower-case letters, each before the Latin one that looks like it in one of the cases. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  // Cyrillic, then Greek.
  "аaвbеeѕsіiјjкkмmнhһhоoрpсcтtуyхxԁdԛqԝwѵvӏl αaβbγyεeζzηnιiκkμmνvοoρpτtυuχx"
    .match(/\S{2}/gu)
    ?.map(([letter = "", latin = ""]) => [letter, latin]) ?? [],
);

const MARKS_AND_UNSEEN = /[\u0300-\u036f\p{C}\p{DI}]/gu;

/**
 * The same text for all usernames of which only one account can ever have one: those that differ in
 * case, compatibility forms, accents, invisible characters, spaces, or Greek and Cyrillic letters
 * that look like Latin ones. A digest, so that the store keeps no names of removed accounts.
 *
 * A change of it needs a new schema that fills the table of names again.
 *
 * @example
 * ```ts
 * const isTaken = usedNames.has(nameKeyOf(username)); // "Ann", "ANN" and "ánn" are one name
 * ```
 */
export function nameKeyOf(username: string): string {
  // Upper case makes `SS` of `ß`, and one letter of the two small sigmas, but nothing of `ẞ`.
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
