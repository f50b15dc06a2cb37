import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, Fault } from "../../core/fault.ts";
import { readEnvFile } from "./env-file.ts";
import { settingNamed } from "./setting-names.ts";
import { unknownNames } from "./setting-slips.ts";

/** A file that secrets were read from. */
export interface SecretFile {
  /** The setting or option that names it. */
  readonly name: string;
  readonly path: string;
}

export interface SettingProblem {
  /** The settings that cannot be gone by, or `ENV_FILE` where nothing of it is known. */
  readonly about: readonly string[];
  readonly text: string;
}

export const ENV_FILE = "--env-file";

export interface SettingsSources {
  /** By setting name: `PORT`, not `--port`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly envFile: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What settings are made of, with all that is found wrong on the way. */
interface OpenSources {
  text(name: string): string | undefined;
  value<T>(name: string, parse: (text: string) => T | undefined, given?: string): T | undefined;
  /** What must not stand in an environment that others can see may stand in a file of its own. */
  textOrFile(name: string): string | undefined;
  /** The same for several: in the file one a line, so that there a secret may have commas and spaces. */
  linesOrFile(
    name: string,
    parse: (text: string) => readonly string[] | undefined,
  ): readonly string[] | undefined;
  readonly problems: SettingProblem[];
  readonly warnings: string[];
  readonly secretFiles: readonly SecretFile[];
}

const SECRET = ["AUTH_SECRET", "AUTH_SECRET_PREVIOUS", "DATABASE_URL"];

export function openSources({ flags, envFile, env = {} }: SettingsSources): OpenSources {
  const problems: SettingProblem[] = [];
  const secretFiles: SecretFile[] = [];
  const file = envFile === undefined ? {} : valuesIn(envFile, problems);
  const { unknown, warnings } = unknownNames(Object.keys(env), Object.keys(file));
  problems.push(...unknown.map((text) => ({ about: [], text })));
  if (envFile !== undefined && SECRET.some((name) => file[name] !== undefined)) {
    secretFiles.push({ name: ENV_FILE, path: resolve(envFile) });
  }

  // An empty value is what a compose file passes on for a variable that is not set.
  const text = (name: string): string | undefined =>
    flags[name] || env[name] || file[name] || undefined;

  /** In a file that the line does not name, nobody would look. */
  const placed = (name: string): string =>
    text(name) !== undefined && !flags[name] && !env[name] ? `${name} (in ${ENV_FILE})` : name;

  const value: OpenSources["value"] = (name, parse, given = text(name)) => {
    if (given === undefined) return undefined;
    const refuse = (why: string): undefined => {
      problems.push({ about: [name], text: `${placed(name)}${why}` });
    };
    try {
      return parse(given) ?? refuse(` takes ${settingNamed(name).takes}`);
    } catch (error) {
      if (error instanceof Fault) return refuse(`: ${error.message}`);
      throw error;
    }
  };

  /** What stands in the file that takes a setting's place, if there is one. */
  const inFile = (name: string): { readonly content: string | undefined } | undefined => {
    const fileName = `${name}_FILE`;
    const path = text(fileName);
    if (path === undefined) return undefined;
    if (text(name) !== undefined) {
      problems.push({
        about: [name],
        text: `${placed(name)} and ${placed(fileName)} are both set`,
      });
    }
    const secret = readSecret(path);
    if (secret.problem !== undefined) {
      problems.push({ about: [name], text: `${placed(fileName)} names ${secret.problem}` });
    }
    if (secret.content !== undefined) secretFiles.push({ name: fileName, path: resolve(path) });
    return secret;
  };

  return {
    text,
    value,
    textOrFile: (name) => {
      const kept = inFile(name);
      return kept === undefined ? text(name) : kept.content;
    },
    linesOrFile(name, parse) {
      const kept = inFile(name);
      if (kept === undefined) return value(name, parse);
      const lines = kept.content?.split(/\r?\n/).filter((line) => line !== "");
      if (lines?.length === 0) {
        problems.push({ about: [name], text: `${placed(`${name}_FILE`)} names an empty file` });
      }
      return lines;
    },
    problems,
    warnings,
    secretFiles,
  };
}

/** Without what stands in a strange line, which may be a secret. */
function valuesIn(
  path: string,
  problems: SettingProblem[],
): Readonly<Record<string, string | undefined>> {
  const file = readEnvFile(path);
  if (file.kind === "unreadable") {
    problems.push({ about: [ENV_FILE], text: `${ENV_FILE}: ${file.why}` });
    return {};
  }
  const [first, ...others] = file.strangeLines;
  if (first !== undefined) {
    const lines =
      others.length === 0 ? `line ${first} is` : `lines ${listed(file.strangeLines)} are`;
    problems.push({ about: [ENV_FILE], text: `${ENV_FILE}: ${lines} no NAME=value` });
  }
  return file.values;
}

const MOST_LINES_TOLD = 5;

const listed = (lines: readonly number[]): string =>
  `${lines.slice(0, MOST_LINES_TOLD).join(", ")}${lines.length > MOST_LINES_TOLD ? " and more" : ""}`;

export interface SecretReading {
  readonly content: string | undefined;
  /** Completes the sentence "NAME names …", without the path: by a slip, it may be the secret itself. */
  readonly problem?: string;
}

/** Reads a secret from a file of its own, less the line break that an editor leaves at the end. */
export function readSecret(path: string): SecretReading {
  try {
    const bytes = readFileSync(path);
    const secret = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const line = secret.replace(/\r?\n$/, "");
    return line === "" ? { content: undefined, problem: "an empty file" } : { content: line };
  } catch (error) {
    const isEncoding = codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA";
    const reason = isEncoding ? "it is not valid UTF-8" : (codeOf(error) ?? "for some reason");
    return { content: undefined, problem: `a file that cannot be read: ${reason}` };
  }
}
