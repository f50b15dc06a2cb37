import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "./command.ts";

/** Asks a person at a terminal; the question goes to standard error, where no result is looked for. */
export async function ask(question: string): Promise<string> {
  return answerTo(question, process.stderr);
}

/** The same without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await answerTo("", nowhere);
  } finally {
    process.stderr.write("\n");
  }
}

async function answerTo(question: string, output: NodeJS.WritableStream): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError("there is no terminal to ask at");
  const reading = createInterface({ input: process.stdin, output, terminal: true });
  const stopped = new Promise<never>((_resolve, reject) => {
    reading.once("SIGINT", () => reject(new Stopped()));
    reading.once("close", () => reject(new Stopped()));
  });
  try {
    return await Promise.race([reading.question(question), stopped]);
  } finally {
    reading.close();
  }
}

/** Ctrl-C or the end of the input instead of an answer. */
export class Stopped extends Error {
  constructor() {
    super("stopped: nothing was changed");
  }
}
