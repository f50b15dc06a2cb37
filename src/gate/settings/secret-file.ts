import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { explainFileError, isMissing } from "../../lib/files/file-error.ts";

/** The value of `AUTH_SECRET` with which the gate makes its secret itself. */
export const AUTO = "auto";

/** Names the file of that secret among the files with secrets. */
export const OWN_SECRET = "AUTH_SECRET=auto";

/** Returns the file that keeps the secret which the gate has made. */
export const getSecretFile = (dataDir: string): string => join(dataDir, "auth-secret");

const MIN_LENGTH = 32;
const MAX_BYTES = 1_024;
const FOR_OTHERS = 0o077;

export type SecretFileReading =
  | { readonly kind: "read"; readonly secret: string }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly problem: string };

/**
 * Reads the secret that the gate has made. A file that others could read or have put there is refused,
 * since whoever knows the secret can sign in as anybody.
 */
export function readSecretFile(path: string): SecretFileReading {
  const refuse = (problem: string): SecretFileReading => ({ kind: "refused", problem });
  let file: number;
  try {
    // It must neither follow a link nor wait for a named pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return { kind: "missing" };
    return refuse(`it cannot be read: ${explainFileError(error)}`);
  }
  try {
    const stats = fstatSync(file);
    const unsafe = findUnsafe(stats, statSync(dirname(path)));
    if (unsafe !== undefined) return refuse(unsafe);
    const secret = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    if (secret.length >= MIN_LENGTH) return { kind: "read", secret };
    return refuse(
      `it has fewer than ${MIN_LENGTH} characters: restore it, or remove it, which ends all sessions`,
    );
  } catch (error) {
    return refuse(`it cannot be read: ${explainFileError(error)}`);
  } finally {
    closeSync(file);
  }
}

function findUnsafe(file: Stats, folder: Stats): string | undefined {
  if (!file.isFile()) return "it is not a regular file";
  if (file.size > MAX_BYTES) return `it is larger than ${MAX_BYTES} bytes`;
  if (process.geteuid === undefined) return undefined;
  if (![process.geteuid(), 0, folder.uid].includes(file.uid)) return "it belongs to another user";
  if ((file.mode & FOR_OTHERS) === 0) return undefined;
  return "other users can read or change it: chmod 600, or remove it, which ends all sessions";
}
