import fc from "fast-check";

/** Any character, as by "binary", for which fast-check makes a table of all, in a second. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
