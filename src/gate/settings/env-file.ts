import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { codeOf, messageOf } from "../../core/fault.ts";

interface EnvFile {
  readonly values: Readonly<Record<string, string | undefined>>;
  /** By number, from 1: lines that set nothing and are no remark. */
  readonly strangeLines: readonly number[];
}

type EnvFileReading =
  | ({ readonly kind: "read" } & EnvFile)
  | { readonly kind: "unreadable"; readonly why: string };

export function readEnvFile(path: string): EnvFileReading {
  try {
    // Some editors put a mark there that is no part of the first name.
    const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    const values = Object.entries(parseEnv(text)).filter(([name]) => NAME.test(name));
    return { kind: "read", values: Object.fromEntries(values), strangeLines: strangeLines(text) };
  } catch (error) {
    return { kind: "unreadable", why: whyNot(resolve(path), error) };
  }
}

function whyNot(path: string, error: unknown): string {
  if (codeOf(error) === "ENOENT") return `there is no file ${path}`;
  if (codeOf(error) === "EISDIR") return `${path} is a folder`;
  return `${path} cannot be read: ${codeOf(error) ?? messageOf(error)}`;
}

/** Node takes all before the `=` for a name, so that a slip makes one of what may be a secret. */
const NAME = /^[\w.-]+$/;

const EMPTY = /^\s*(#|$)/;
const ASSIGNMENT = /^\s*(?:export +)?[\w.-]+\s*=\s*(.*)$/;

/** Node passes over them in silence. A value in quotes may go over several lines. */
function strangeLines(text: string): readonly number[] {
  const lines = text.split(/\r?\n/);
  const strange: number[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const value = ASSIGNMENT.exec(line)?.[1];
    if (value !== undefined) at += linesBelow(value, lines.slice(at + 1));
    else if (!EMPTY.test(line)) strange.push(at + 1);
  }
  return strange;
}

/** How many of the lines that follow belong to a value, up to its closing quote. */
function linesBelow(value: string, following: readonly string[]): number {
  const [quote = ""] = /^["'`]/.exec(value) ?? [];
  if (quote === "" || value.indexOf(quote, 1) > 0) return 0;
  // A quote that is never closed is part of the value.
  return following.findIndex((line) => line.includes(quote)) + 1;
}
