import { readFileSync } from "node:fs";

// The single-file executable contains the files: `scripts/release/executable.ts` replaces this module.

const FOLDER = new URL("words/", import.meta.url);

/** Reads a file of texts, such as `de.json`. It is not kept: a gate must not hold every language. */
export const readLanguageFile = (name: string): string =>
  readFileSync(new URL(name, FOLDER), "utf8");
