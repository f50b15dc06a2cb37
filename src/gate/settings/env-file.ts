import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { Environment } from "./values.ts";

interface EnvFile {
  readonly values: Environment;
  /** Numbers, from 1, of lines that are neither a setting nor a comment. */
  readonly invalidLines: readonly number[];
}

/** Throws when the file cannot be read. */
export function readEnvFile(path: string): EnvFile {
  // Some editors write a byte order mark, which is not part of the first name.
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  const values = Object.entries(parseEnv(text)).filter(([name]) => NAME.test(name));
  return { values: Object.fromEntries(values), invalidLines: invalidLines(text) };
}

/** Node.js treats everything before the `=` as a name, which by mistake may contain a secret. */
const NAME = /^[\w.-]+$/;

// A comment or a setting. Only a value in quotes that are closed can span several lines.
const VALID = /^[^\S\n]*(?:#.*|(?:export +)?[\w.-]+[^\S\n]*=[^\S\n]*(?:(["'`])[\s\S]*?\1.*|.*))$/gm;

/** Node.js ignores these lines without a message. */
const invalidLines = (text: string): readonly number[] =>
  text
    .replace(VALID, (valid) => valid.replace(/.+/g, ""))
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [index + 1]));
