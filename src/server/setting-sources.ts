import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { codeOf, messageOf } from "../core/fault.ts";
import { settingNamed } from "./setting-names.ts";
import { unknownNames } from "./setting-slips.ts";

/** A file that secrets were read from. */
export interface SecretFile {
  /** The setting or option that names it. */
  readonly name: string;
  readonly path: string;
}

export interface SettingsSources {
  /** By setting name: `PORT`, not `--port`. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly envFile: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What settings are made of, with all that is found wrong on the way. */
export interface OpenSources {
  text(name: string): string | undefined;
  value<T>(name: string, parse: (text: string) => T | undefined, given?: string): T | undefined;
  /** What must not stand in an environment that others can see may stand in a file of its own. */
  textOrFile(name: string): string | undefined;
  /** The same for several: in the file one a line, so that there a secret may have commas and spaces. */
  linesOrFile(
    name: string,
    parse: (text: string) => readonly string[] | undefined,
  ): readonly string[] | undefined;
  readonly problems: string[];
  readonly warnings: readonly string[];
  readonly secretFiles: readonly SecretFile[];
}

const SECRET = ["AUTH_SECRET", "AUTH_SECRET_PREVIOUS", "DATABASE_URL"];

export function openSources({ flags, envFile, env = {} }: SettingsSources): OpenSources {
  const problems: string[] = [];
  const secretFiles: SecretFile[] = [];
  const file = readEnvFile(envFile, problems);
  const { unknown, warnings } = unknownNames(Object.keys(env), Object.keys(file));
  problems.push(...unknown);
  if (envFile !== undefined && SECRET.some((name) => file[name] !== undefined)) {
    secretFiles.push({ name: "--env-file", path: resolve(envFile) });
  }

  // An empty value is what a compose file passes on for a variable that is not set.
  const text = (name: string): string | undefined =>
    flags[name] || env[name] || file[name] || undefined;

  const value: OpenSources["value"] = (name, parse, given = text(name)) => {
    if (given === undefined) return undefined;
    const parsed = parse(given);
    if (parsed === undefined) problems.push(`${name} takes ${settingNamed(name).takes}`);
    return parsed;
  };

  /** What stands in the file that takes a setting's place, if there is one. */
  const inFile = (name: string): { readonly content: string | undefined } | undefined => {
    const path = text(`${name}_FILE`);
    if (path === undefined) return undefined;
    if (text(name) !== undefined) problems.push(`${name} and ${name}_FILE are both set`);
    const content = readSecret(`${name}_FILE`, path, problems);
    if (content !== undefined) secretFiles.push({ name: `${name}_FILE`, path: resolve(path) });
    return { content };
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
      if (lines?.length === 0) problems.push(`${name}_FILE names an empty file`);
      return lines;
    },
    problems,
    warnings,
    secretFiles,
  };
}

/** An editor's line break at the end is no part of the secret. */
function readSecret(name: string, path: string, problems: string[]): string | undefined {
  try {
    const bytes = readFileSync(path);
    const secret = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const line = secret.replace(/\r?\n$/, "");
    if (line === "") problems.push(`${name} names an empty file`);
    return line || undefined;
  } catch (error) {
    // Without the path: by a slip, it may be the secret itself.
    const isEncoding = codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA";
    const reason = isEncoding ? "it is not valid UTF-8" : (codeOf(error) ?? "for some reason");
    problems.push(`${name} names a file that cannot be read: ${reason}`);
    return undefined;
  }
}

function readEnvFile(path: string | undefined, problems: string[]): Record<string, string> {
  if (path === undefined) return {};
  try {
    const parsed = parseEnv(readFileSync(path, "utf8"));
    return Object.fromEntries(Object.entries(parsed).map(([name, text]) => [name, text ?? ""]));
  } catch (error) {
    problems.push(`--env-file cannot be read: ${messageOf(error)}`);
    return {};
  }
}
