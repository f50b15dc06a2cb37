import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { Fault } from "../../core/base/fault.ts";
import { fileErrorReason, fileErrorText } from "../../files/file-error.ts";
import type { NamedEntry } from "./entry.ts";
import { unknownNames } from "./suggestions.ts";
import { secretNames, settings } from "./table.ts";
import type { Environment } from "./values.ts";

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

/** Longer values are not repeated: a generated secret may be in the wrong setting. */
const MAX_SHOWN = 40;
const MAX_LINES_LISTED = 5;

/** Reads settings in this order: flag, environment, env file. Collects problems on the way. */
export class Sources {
  /** `value` adds to them. */
  readonly problems: SettingProblem[] = [];
  readonly secretFiles: SecretFile[] = [];
  readonly warnings: readonly string[];
  readonly #env: Environment;
  readonly #given: readonly Environment[];

  constructor({ flags, envFile, env = {} }: SettingsSources) {
    const file =
      envFile === undefined
        ? {}
        : valuesIn(envFile, (text) => this.#refuse(ENV_FILE, `${ENV_FILE}: ${text}`));
    const known = settings.map(({ name }) => name);
    const { unknown, warnings } = unknownNames(known, Object.keys(env), Object.keys(file));
    this.problems.push(...unknown.map((text) => ({ about: [], text })));
    if (envFile !== undefined && secretNames.some((name) => file[name] !== undefined)) {
      this.secretFiles.push({ name: ENV_FILE, path: resolve(envFile) });
    }
    this.warnings = warnings;
    this.#env = env;
    this.#given = [flags, env, file];
  }

  /** Compose files pass an unset variable on as an empty one. */
  text(name: string): string | undefined {
    return this.#given.find((values) => values[name])?.[name];
  }

  /** The value that is given, or `undefined` when it is unset or invalid. */
  value(entry: NamedEntry): unknown {
    const { name } = entry;
    const given = this.text(name);
    const fileName = `${name}_FILE`;
    const path = entry.secret === true ? this.text(fileName) : undefined;
    if (path === undefined) return given === undefined ? undefined : this.#parsed(entry, given);
    if (given !== undefined) {
      this.#refuse(name, `${name} and ${fileName} are both set: remove one of them`);
    }
    const { content, problem } = readSecret(path);
    if (content === undefined) return this.#refuse(name, `${fileName} names ${problem}`);
    this.secretFiles.push({ name: fileName, path: resolve(path) });
    return entry.value.parseFile?.(content) ?? this.#parsed(entry, content);
  }

  #parsed({ name, value, secret }: NamedEntry, given: string): unknown {
    const isShown = secret !== true && given.length <= MAX_SHOWN && !/:\/\/.*@/.test(given);
    const shown = isShown ? `${name}=${JSON.stringify(given)}` : name;
    try {
      const accepted = value.parse(given, this.#env);
      return accepted ?? this.#refuse(name, `${shown} is invalid: expected ${value.takes}`);
    } catch (error) {
      if (error instanceof Fault) return this.#refuse(name, `${name}: ${error.message}`);
      throw error;
    }
  }

  #refuse(about: string, text: string): undefined {
    this.problems.push({ about: [about], text });
  }
}

/** Node.js treats everything before the `=` as a name, which by mistake may contain a secret. */
const NAME = /^[\w.-]+$/;

// A comment or a setting. Only a value in quotes that are closed can span several lines.
const VALID = /^[^\S\n]*(?:#.*|(?:export +)?[\w.-]+[^\S\n]*=[^\S\n]*(?:(["'`])[\s\S]*?\1.*|.*))$/gm;

/** Problems name lines by number, because an invalid line may be a secret. */
function valuesIn(path: string, refuse: (problem: string) => void): Environment {
  try {
    // Some editors write a byte order mark, which is not part of the first name.
    const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    const invalid = invalidLines(text).slice(0, MAX_LINES_LISTED);
    if (invalid.length > 0) refuse(`expected NAME=value in line ${invalid.join(", ")}`);
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
