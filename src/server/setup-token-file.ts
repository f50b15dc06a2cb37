import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { codeOf, Fault } from "../core/fault.ts";
import type { SetupTokenSource } from "../core/setup-token.ts";
import { writeWhole } from "./whole-file.ts";

/** No form brings more than this, so no longer token could ever be given. */
const MAX_BYTES = 64 * 1024;

/**
 * What says for sure that there is no file to read. Any other failure (no descriptors, no memory, a
 * bad disk) says nothing about the file: taken for "no file", it would open setup under load.
 */
const NOT_READABLE: readonly (string | undefined)[] = [
  "ENOENT",
  "ENOTDIR",
  "EACCES",
  "EPERM",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENXIO",
];

export function setupTokenFile(path: string): SetupTokenSource {
  return {
    async read() {
      const file = await openIfReadable(path);
      if (file === undefined) return undefined;
      try {
        return await readToken(file);
      } finally {
        await file.close();
      }
    },
    async delete() {
      try {
        await rm(path, { force: true });
      } catch (error) {
        if (codeOf(error) !== "ENOTDIR") throw error;
      }
    },
  };
}

async function openIfReadable(path: string): Promise<FileHandle | undefined> {
  try {
    // Without blocking, or a named pipe in its place would hang the setup for ever.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (NOT_READABLE.includes(codeOf(error))) return undefined;
    throw error;
  }
}

async function readToken(file: FileHandle): Promise<string | undefined> {
  const { size } = await file.stat().then((stats) => ({ size: stats.isFile() ? stats.size : -1 }));
  if (size < 0) return undefined;
  if (size > MAX_BYTES) {
    throw new Fault("setup_token_too_long", "the setup token file is too large to be a token");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Fault("setup_token_not_text", "the setup token file is not UTF-8 text");
  }
}

/**
 * Replaces it in one step. Half a token would shut everybody out, and one that the gate could not
 * read would count as none and leave the setup open: it is handed to whoever owns the folder.
 */
export const writeSetupToken = (path: string, token: string): Promise<void> =>
  writeWhole(path, `${token}\n`);
