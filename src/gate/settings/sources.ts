import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { Fault } from "../../lib/fault.ts";
import { explainFileError, formatFileError } from "../../lib/files/file-error.ts";
import type { NamedEntry } from "./entry.ts";
import { isProviderSecret, listProviderSettings } from "./providers.ts";
import { findUnknownNames } from "./suggestions.ts";
import { secretNames, settings } from "./table.ts";
import type { Environment } from "./values.ts";

export interface SecretFile {
  /** Names the setting or option that contains the path. */
  readonly name: string;
  readonly path: string;
}

export interface SettingProblem {
  /** Names the settings whose values are unknown, or `ENV_FILE` if all values are unknown. */
  readonly about: readonly string[];
  readonly message: string;
}

export const ENV_FILE = "--env-file";

export interface SettingsSources {
  /** The keys are setting names: `PORT`, not `--port`. */
  readonly flags: Environment;
  readonly envFile: string | undefined;
  readonly env?: Environment;
}

/** Messages do not repeat longer values, because a generated secret may be in the wrong setting. */
const MAX_SHOWN = 40;
const MAX_LINES_LISTED = 5;

/**
 * Reads settings in this order: flag, environment, env file. It collects problems while it reads.
 */
export class Sources {
  /** `readValue` adds its problems to this list. */
  readonly problems: SettingProblem[] = [];
  readonly secretFiles: SecretFile[] = [];
  readonly warnings: readonly string[];
  readonly #env: Environment;
  readonly #environments: readonly Environment[];

  constructor({ flags, envFile, env = {} }: SettingsSources) {
    const file =
      envFile === undefined
        ? {}
        : readEnvFile(envFile, (text) => this.#refuse(ENV_FILE, `${ENV_FILE}: ${text}`));
    this.#environments = [flags, env, file];
    const providers = (this.readText("SIGN_IN_WITH") ?? "").split(",").map((name) => name.trim());
    const names = [...settings.map(({ name }) => name), ...listProviderSettings(providers)];
    const { unknown, warnings } = findUnknownNames(names, Object.keys(env), Object.keys(file));
    this.problems.push(...unknown.map((text) => ({ about: [], message: text })));
    const isSecret = (name: string) => secretNames.includes(name) || isProviderSecret(name);
    if (envFile !== undefined && Object.keys(file).some(isSecret)) {
      this.secretFiles.push({ name: ENV_FILE, path: resolve(envFile) });
    }
    this.warnings = warnings;
    this.#env = env;
  }

  /**
   * Returns the text of a setting. Empty text counts as unset, because Compose files pass on an
   * unset variable as an empty one.
   */
  readText(name: string): string | undefined {
    return this.#environments.find((values) => values[name])?.[name];
  }

  /** Returns the value of a setting, or `undefined` if it is unset or invalid. */
  readValue(entry: NamedEntry): unknown {
    const { name } = entry;
    const text = this.readText(name);
    const fileName = `${name}_FILE`;
    const path = entry.secret === true ? this.readText(fileName) : undefined;
    if (path === undefined) return text === undefined ? undefined : this.#parse(entry, text);
    if (text !== undefined) {
      this.#refuse(name, `${name} and ${fileName} are both set: remove one of them`);
    }
    const { content, problem } = readSecret(path);
    if (content === undefined) return this.#refuse(name, `${fileName} names ${problem}`);
    this.secretFiles.push({ name: fileName, path: resolve(path) });
    return entry.value.parseFile?.(content) ?? this.#parse(entry, content);
  }

  #parse({ name, value, secret }: NamedEntry, text: string): unknown {
    const isShown = secret !== true && text.length <= MAX_SHOWN && !/:\/\/.*@/.test(text);
    const shown = isShown ? `${name}=${JSON.stringify(text)}` : name;
    try {
      const accepted = value.parse(text, this.#env);
      return accepted ?? this.#refuse(name, `${shown} is invalid: expected ${value.takes}`);
    } catch (error) {
      if (error instanceof Fault) return this.#refuse(name, `${name}: ${error.message}`);
      throw error;
    }
  }

  #refuse(about: string, text: string): undefined {
    this.problems.push({ about: [about], message: text });
  }
}

/** Node.js treats everything before the `=` as a name, which may be a secret by mistake. */
const NAME = /^[\w.-]+$/;

// Matches a comment or a setting. Only a value in closed quotes can span several lines.
const VALID = /^[^\S\n]*(?:#.*|(?:export +)?[\w.-]+[^\S\n]*=[^\S\n]*(?:(["'`])[\s\S]*?\1.*|.*))$/gm;

/** Reads an env file. Problems name lines by number, because an invalid line may be a secret. */
function readEnvFile(path: string, refuse: (problem: string) => void): Environment {
  try {
    // Some editors write a byte order mark, which is not part of the first name.
    const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    const invalid = findInvalidLines(text).slice(0, MAX_LINES_LISTED);
    if (invalid.length > 0) refuse(`expected NAME=value in line ${invalid.join(", ")}`);
    return Object.fromEntries(Object.entries(parseEnv(text)).filter(([name]) => NAME.test(name)));
  } catch (error) {
    refuse(formatFileError("read", resolve(path), error));
    return {};
  }
}

/** Returns the numbers of the lines, from 1, that Node.js ignores without a message. */
const findInvalidLines = (text: string): readonly number[] =>
  text
    .replace(VALID, (valid) => valid.replace(/.+/g, ""))
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [index + 1]));

/**
 * Reads a secret from a separate file, without the line break that editors add at the end.
 * `problem` completes "NAME names …". It omits the path, which may be the secret itself by mistake.
 */
export function readSecret(path: string): { readonly content?: string; readonly problem?: string } {
  try {
    const bytes = readFileSync(path);
    if (!isUtf8(bytes)) return { problem: "a file that cannot be read: it is not valid UTF-8" };
    const content = bytes.toString().replace(/\r?\n$/, "");
    return content === "" ? { problem: "an empty file" } : { content };
  } catch (error) {
    return { problem: `a file that cannot be read: ${explainFileError(error)}` };
  }
}
