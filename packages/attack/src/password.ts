import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { UsageError } from "./errors.ts";

/**
 * Reads a password from standard input, or asks for it at the terminal without echoing it.
 *
 * @throws UsageError if there is no terminal or no valid input
 */
export async function readPassword(username: string, from: "stdin" | "terminal"): Promise<string> {
  if (from === "stdin") return decodeLine(await buffer(process.stdin));
  if (!process.stdin.isTTY) {
    throw new UsageError("standard input is not a terminal; use --password-stdin");
  }
  // The interface turns the terminal's echo off, so it must exist before the question is printed.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reading = createInterface({ input: process.stdin, output, terminal: true });
  try {
    process.stderr.write(`Password of ${username}: `);
    const { value, done } = await reading[Symbol.asyncIterator]().next();
    if (done === true) throw new UsageError("cancelled");
    return value;
  } finally {
    process.stderr.write("\n");
    reading.close();
  }
}

function decodeLine(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.replace(/\r?\n$/, "");
  } catch {
    throw new UsageError("the password on standard input is not valid UTF-8");
  }
}
