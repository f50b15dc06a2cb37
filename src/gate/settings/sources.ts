import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { AnyFault } from "../../core/base/fault.ts";
import { fileErrorReason, fileErrorText } from "../../files/file-error.ts";
import type { AnyEntry } from "./entry.ts";
import { unknownNames } from "./suggestions.ts";
import { secretNames, settings } from "./table.ts";
import type { Environment } from "./values.ts";

/** A file that contains secrets. */
export interface SecretFile {
  /** The setting or option that names it. */
  readonly name: string;
  readonly path: string;
}

export interface SettingProblem {
  /** The settings whose values are unknown, or `ENV_FILE` when every value is. */
  readonly about: readonly string[];
  readonly text: string;
}

export const ENV_FILE = "--env-file";

export interface SettingsSources {
  /** By setting name: `PORT`, not `--port`. */
  readonly flags: Environment;
  readonly envFile: string | undefined;
  readonly env?: Environment;
}

interface OpenSources {
  text(name: string): string | undefined;
  /** The value that is given, or `undefined` when it is unset or invalid. */
  value(entry: AnyEntry): unknown;
  /** Filled by `value`. */
  readonly problems: SettingProblem[];
  readonly warnings: string[];
  readonly secretFiles: readonly SecretFile[];
}

/** Longer values are not repeated: a generated secret may be in the wrong setting. */
const MAX_SHOWN = 40;
const MAX_LINES_LISTED = 5;

/** Reads settings in this order: flag, environment, env file. Collects problems on the way. */
export function openSources({ flags, envFile, env = {} }: SettingsSources): OpenSources {
  const problems: SettingProblem[] = [];
  const secretFiles: SecretFile[] = [];
  const file = envFile === undefined ? {} : valuesIn(envFile, problems);
  const known = settings.map(({ name }) => name);
  const { unknown, warnings } = unknownNames(known, Object.keys(env), Object.keys(file));
  problems.push(...unknown.map((text) => ({ about: [], text })));
  if (envFile !== undefined && secretNames.some((name) => file[name] !== undefined)) {
    secretFiles.push({ name: ENV_FILE, path: resolve(envFile) });
  }

  // Compose files pass an unset variable on as an empty one.
  const text = (name: string): string | undefined =>
    flags[name] || env[name] || file[name] || undefined;

  /** Without this hint, users would look for a value from the file in the environment. */
  const placed = (name: string, given = ""): string =>
    `${name}${given}${file[name] && !flags[name] && !env[name] ? ` (in ${ENV_FILE})` : ""}`;

  const refuse = ({ name }: AnyEntry, problem: string): undefined => {
    problems.push({ about: [name], text: problem });
  };

  const parsed = (entry: AnyEntry, given: string): unknown => {
    const { name, value, secret } = entry;
    const isShown = secret !== true && given.length <= MAX_SHOWN && !/:\/\/.*@/.test(given);
    const shown = placed(name, isShown ? `=${JSON.stringify(given)}` : "");
    try {
      return (
        value.parse(given, env) ?? refuse(entry, `${shown} is invalid: expected ${value.takes}`)
      );
    } catch (error) {
      if (error instanceof AnyFault) return refuse(entry, `${placed(name)}: ${error.message}`);
      throw error;
    }
  };

  const parsedFile = (entry: AnyEntry, fileName: string, path: string): unknown => {
    const { name, value } = entry;
    if (text(name) !== undefined) {
      refuse(entry, `${placed(name)} and ${placed(fileName)} are both set: remove one of them`);
    }
    const { content, problem } = readSecret(path);
    if (content === undefined) return refuse(entry, `${placed(fileName)} names ${problem}`);
    secretFiles.push({ name: fileName, path: resolve(path) });
    if (value.parseFile === undefined) return parsed(entry, content);
    return value.parseFile(content) ?? refuse(entry, `${placed(fileName)} names an empty file`);
  };

  const value = (entry: AnyEntry): unknown => {
    const fileName = `${entry.name}_FILE`;
    const path = entry.secret === true ? text(fileName) : undefined;
    if (path !== undefined) return parsedFile(entry, fileName, path);
    const given = text(entry.name);
    return given === undefined ? undefined : parsed(entry, given);
  };

  return { text, value, problems, warnings, secretFiles };
}

/** Node.js treats everything before the `=` as a name, which by mistake may contain a secret. */
const NAME = /^[\w.-]+$/;

// A comment or a setting. Only a value in quotes that are closed can span several lines.
const VALID = /^[^\S\n]*(?:#.*|(?:export +)?[\w.-]+[^\S\n]*=[^\S\n]*(?:(["'`])[\s\S]*?\1.*|.*))$/gm;

/** Problems name lines by number, because an invalid line may be a secret. */
function valuesIn(path: string, problems: SettingProblem[]): Environment {
  const refuse = (problem: string): void => {
    problems.push({ about: [ENV_FILE], text: `${ENV_FILE}: ${problem}` });
  };
  try {
    // Some editors write a byte order mark, which is not part of the first name.
    const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    const invalid = invalidLines(text);
    const listed = invalid.slice(0, MAX_LINES_LISTED).join(", ");
    const more = invalid.length > MAX_LINES_LISTED ? " and more" : "";
    if (invalid.length === 1) refuse(`line ${listed} is not NAME=value`);
    if (invalid.length > 1) refuse(`lines ${listed}${more} are not NAME=value`);
    return Object.fromEntries(Object.entries(parseEnv(text)).filter(([name]) => NAME.test(name)));
  } catch (error) {
    refuse(fileErrorText("read", resolve(path), error));
    return {};
  }
}

/** The numbers of lines, from 1, that Node.js ignores without a message. */
const invalidLines = (text: string): readonly number[] =>
  text
    .replace(VALID, (valid) => valid.replace(/.+/g, ""))
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [index + 1]));

/**
 * Reads a secret from a file of its own, without the line break that editors add at the end.
 * `problem` completes "NAME names …". It omits the path, which by mistake may be the secret itself.
 */
export function readSecret(path: string): { readonly content?: string; readonly problem?: string } {
  try {
    const bytes = readFileSync(path);
    if (!isUtf8(bytes)) return { problem: "a file that cannot be read: it is not valid UTF-8" };
    const content = bytes.toString().replace(/\r?\n$/, "");
    return content === "" ? { problem: "an empty file" } : { content };
  } catch (error) {
    return { problem: `a file that cannot be read: ${fileErrorReason(error)}` };
  }
}
