import type { Parser } from "../../proof/fuzz/parser.ts";

/** Breaks at a text that only inputs on the way there lead to. */
export const flawed: Parser = {
  seeds: ["........"],
  words: ["f", "u", "z"],
  maxMs: 1_000,
  check(text) {
    if (text[0] !== "f") return;
    if (text[2] !== "u") return;
    if (text[4] !== "z") return;
    if (text[6] === "z") throw new Error("found");
  },
};
