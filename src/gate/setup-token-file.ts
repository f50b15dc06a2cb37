import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rm } from "node:fs/promises";
import { requireNoDatabase } from "../db/sqlite/database-files.ts";
import { Fault, getErrorCode } from "../lib/fault.ts";
import { explainFileError, ignoreMissing } from "../lib/files/file-error.ts";
import { trimWhiteSpace } from "../lib/white-space.ts";

/**
 * These errors prove that the token file is missing, or that it can never be read. After any other
 * error (no descriptors, no memory, a bad disk), the setup is refused.
 */
const NO_FILE: readonly string[] = ["ENOENT", "ENOTDIR", "ENAMETOOLONG"];
const NOT_READABLE: readonly string[] = ["EACCES", "EPERM", "EISDIR", "ENXIO", "ELOOP"];

/**
 * Returns the text, or the reason why it cannot be read. Returns neither if the file does not
 * exist.
 */
export async function readTokenFile(
  path: string,
): Promise<{ readonly text?: string; readonly unreadable?: string | undefined }> {
  try {
    // Opening must not block: a named pipe would otherwise block the setup forever.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return { unreadable: "it is not a regular file" };
    const content = await file.readFile();
    return { text: isUtf8(content) ? trimWhiteSpace(content.toString()) : MATCHES_NOTHING };
  } catch (error) {
    const code = getErrorCode(error) ?? "";
    // The operator intended a token, so a secret that is not mounted must not count as "no token".
    const link = code === "ENOENT" ? await lstat(path).catch(() => undefined) : undefined;
    if (link?.isSymbolicLink() === true) return { unreadable: "it is a broken symbolic link" };
    if (NO_FILE.includes(code)) return {};
    if (NOT_READABLE.includes(code)) return { unreadable: explainFileError(error) };
    throw error;
  }
}

/** A form cannot contain this lone surrogate, and `matchesSetupToken` never accepts it. */
const MATCHES_NOTHING = "\ud800";

/** @throws If the file contains something other than a token. */
export async function deleteTokenFile(path: string): Promise<void> {
  if ((await ignoreMissing(lstat(path))) === undefined) return;
  await requireTokenFile(path);
  await ignoreMissing(rm(path));
}

const MAX_TOKEN_BYTES = 1_024;

/** Keeps a file that SETUP_TOKEN_FILE names by mistake from being deleted. */
async function requireTokenFile(path: string): Promise<void> {
  requireNoDatabase(path, undefined, "no-database");
  const { text, unreadable } = await readTokenFile(path);
  const problem =
    unreadable ??
    (text !== undefined && isTokenText(text)
      ? undefined
      : `it does not look like a setup token, which is one line of up to ${MAX_TOKEN_BYTES} bytes`);
  if (problem === undefined) return;
  throw new Fault("setup_token_foreign", `${path} is left as it is: ${problem}`);
}

const isTokenText = (text: string): boolean =>
  text.isWellFormed() && Buffer.byteLength(text) <= MAX_TOKEN_BYTES && !/[\r\n]/.test(text);

/** Creates a token that an attacker cannot guess. */
export const makeSetupToken = (): string => randomBytes(24).toString("base64url");
