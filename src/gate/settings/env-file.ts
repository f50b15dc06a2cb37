import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { fileErrorText } from "../../core/file-error.ts";

type EnvFileReading =
  | {
      readonly kind: "read";
      readonly values: Readonly<Record<string, string | undefined>>;
      /** Numbers, from 1, of lines that are neither a setting nor a comment. */
      readonly invalidLines: readonly number[];
    }
  | { readonly kind: "unreadable"; readonly why: string };

export function readEnvFile(path: string): EnvFileReading {
  try {
    // Some editors write a byte order mark, which is not part of the first name.
    const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    const values = Object.entries(parseEnv(text)).filter(([name]) => NAME.test(name));
    return { kind: "read", values: Object.fromEntries(values), invalidLines: invalidLines(text) };
  } catch (error) {
    return { kind: "unreadable", why: fileErrorText("read", resolve(path), error) };
  }
}

/** Node.js treats everything before the `=` as a name, which by mistake may contain a secret. */
const NAME = /^[\w.-]+$/;

const EMPTY = /^\s*(#|$)/;
const ASSIGNMENT = /^\s*(?:export +)?[\w.-]+\s*=\s*(.*)$/;

/** Node.js ignores these lines without a message. A quoted value may span several lines. */
function invalidLines(text: string): readonly number[] {
  const lines = text.split(/\r?\n/);
  const invalid: number[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const value = ASSIGNMENT.exec(line)?.[1];
    if (value !== undefined) at += linesBelow(value, lines.slice(at + 1));
    else if (!EMPTY.test(line)) invalid.push(at + 1);
  }
  return invalid;
}

/** How many of the following lines belong to a value, up to its closing quote. */
function linesBelow(value: string, following: readonly string[]): number {
  const [quote = ""] = /^["'`]/.exec(value) ?? [];
  if (quote === "" || value.indexOf(quote, 1) > 0) return 0;
  // A quote that is never closed is part of the value.
  return following.findIndex((line) => line.includes(quote)) + 1;
}
