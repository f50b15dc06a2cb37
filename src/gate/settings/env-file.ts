import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { Environment } from "./values.ts";

export interface EnvFile {
  readonly values: Environment;
  /** Numbers, from 1, of lines that are neither a setting nor a comment. */
  readonly invalidLines: readonly number[];
  /** Names whose value systemd reads in another way, or not at all. */
  readonly ambiguous: readonly string[];
}

/** Throws when the file cannot be read. */
export function readEnvFile(path: string): EnvFile {
  // Some editors write a byte order mark, which is not part of the first name.
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  const values = Object.entries(parseEnv(text)).filter(([name]) => NAME.test(name));
  return {
    values: Object.fromEntries(values),
    invalidLines: invalidLines(text),
    ambiguous: ambiguousIn(text),
  };
}

/** Node.js treats everything before the `=` as a name, which by mistake may contain a secret. */
const NAME = /^[\w.-]+$/;

// A comment or a setting. Only a value in quotes that are closed can span several lines.
const VALID = /^[^\S\n]*(?:#.*|(export +)?([\w.-]+)[^\S\n]*=[^\S\n]*((["'`])[\s\S]*?\4.*|.*))$/gm;

/**
 * A value that EnvironmentFile= of systemd reads like Node.js: in quotes that end the line, or without
 * backslash and `#`. Elsewhere systemd removes backslashes, and does not end values at `#`.
 */
const UNAMBIGUOUS = /^(?:'[^']*'|"[^"\\]*"|[^'"`#\\][^#\\\n]*)?\s*$/;

const ambiguousIn = (text: string): readonly string[] =>
  [...text.matchAll(VALID)].flatMap(([, exported, name, value = ""]) =>
    name !== undefined && (exported !== undefined || !UNAMBIGUOUS.test(value)) ? [name] : [],
  );

/** Node.js ignores these lines without a message. */
const invalidLines = (text: string): readonly number[] =>
  text
    .replace(VALID, (valid) => valid.replace(/.+/g, ""))
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [index + 1]));
