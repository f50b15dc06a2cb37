import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Contains the content of a file, or says why it is not used. */
export type SmallFile =
  | { readonly kind: "content"; readonly content: Uint8Array<ArrayBuffer> }
  | { readonly kind: "not-a-file" }
  | { readonly kind: "too-large" };

/**
 * Reads a regular file of at most `maxBytes`. It never waits for another process, and never reads
 * more, even if the file grows.
 *
 * @throws The error of the file system if the file cannot be read.
 */
export function readSmallFile(file: string, maxBytes: number): SmallFile {
  // Opening a named pipe would wait until a process writes to it.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) return { kind: "not-a-file" };
    const buffer = new Uint8Array(maxBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (count === 0) return { kind: "content", content: buffer.slice(0, length) };
      length += count;
    }
    return { kind: "too-large" };
  } finally {
    closeSync(descriptor);
  }
}
