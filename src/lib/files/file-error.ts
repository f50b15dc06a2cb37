import { getErrorCode, getErrorMessage } from "../fault.ts";

/** Returns whether an error reports that a file, or a folder on its path, does not exist. */
export const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes(getErrorCode(error) ?? "");

export const isDenied = (error: unknown): boolean =>
  ["EACCES", "EPERM"].includes(getErrorCode(error) ?? "");

/** Returns the result of a file operation, or `undefined` if the file does not exist. */
export async function ignoreMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Formats the message of a failed file operation: `cannot open FILE: permission denied (…)`. */
export const formatFileError = (action: string, path: string, error: unknown): string =>
  `cannot ${action} ${path}: ${explainFileError(error)}`;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "a file is in the place of a folder",
  EEXIST: "a file has this name",
  EISDIR: "it is a folder",
  EACCES: "permission denied (run as the user that owns it)",
  EPERM: "permission denied (run as the user that owns it)",
  ENOSPC: "no space left on device",
  EROFS: "the file system is read-only",
};

/** Explains why a file operation failed. The text leaves out the path, which may be secret. */
export const explainFileError = (error: unknown): string => {
  const code = getErrorCode(error) ?? "";
  return REASONS[code] ?? (code || getErrorMessage(error));
};
