import { randomBytes } from "node:crypto";
import { link, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault, getErrorCode } from "../lib/fault.ts";
import { makeNamedFolder } from "../lib/files/data-dir.ts";
import { explainFileError, isDenied } from "../lib/files/file-error.ts";
import { explainDeniedFolder } from "../lib/files/ownership.ts";
import { replaceFile } from "../lib/files/replace-file.ts";
import { readSecretFile } from "./settings/secret-file.ts";
import type { Settings } from "./settings/settings.ts";

const SECRET_BYTES = 32;

/** Makes a secret that an attacker cannot guess. */
export const makeSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/**
 * Returns the settings with a secret: with `AUTH_SECRET=auto`, whoever needs the secret first makes it.
 * Nothing may be sealed or signed before.
 */
export async function settleSecret(settings: Settings): Promise<Settings> {
  const { secret, ownSecretFile } = settings;
  if (secret !== undefined || ownSecretFile === undefined) return settings;
  return Object.freeze({ ...settings, secret: await makeSecretFile(ownSecretFile) });
}

/**
 * Makes the file with the secret of this gate, and returns the secret. The file is complete or does not
 * exist, also after a crash. Two programs that make it at once get the secret of the first one.
 */
export async function makeSecretFile(path: string): Promise<string> {
  await makeNamedFolder("DATA_DIR", dirname(path));
  try {
    await replaceFile(path, {
      fill: ({ handle }) => handle.writeFile(`${makeSecret()}\n`),
      // Unlike a new name, a link never replaces a file.
      put: async (temporary) => {
        await link(temporary, path);
        await rm(temporary);
      },
    });
  } catch (error) {
    if (getErrorCode(error) !== "EEXIST") {
      const reason = isDenied(error) ? explainDeniedFolder(dirname(path)) : explainFileError(error);
      const text = `cannot make the secret in ${path}: ${reason}`;
      throw new Fault("secret_file_unusable", text, { cause: error });
    }
  }
  const reading = readSecretFile(path);
  if (reading.kind === "read") return reading.secret;
  const problem = reading.kind === "missing" ? "it has disappeared" : reading.problem;
  throw new Fault("secret_file_unusable", `cannot use the secret in ${path}: ${problem}`);
}
