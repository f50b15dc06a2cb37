import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "./command.ts";

/** Asks a person at a terminal; the question goes to standard error, where no result is looked for. */
export async function ask(question: string): Promise<string> {
  const reading = interfaceTo(process.stderr);
  reading.setPrompt(question);
  reading.prompt();
  const [answer = ""] = await answersTo(reading, [""]);
  return answer;
}

/**
 * One question after the other, without showing what is typed. What `look` throws at an answer
 * ends it, before anything else is asked.
 */
export function askSecrets(
  questions: readonly string[],
  look: (answer: string) => void = () => undefined,
): Promise<readonly string[]> {
  // The terminal stops echoing here, before the first question stands there.
  const reading = interfaceTo(new Writable({ write: (_chunk, _encoding, done) => done() }));
  return answersTo(reading, questions, { afterAnswer: "\n", look });
}

function interfaceTo(output: NodeJS.WritableStream): Interface {
  if (!process.stdin.isTTY) throw new UsageError("there is no terminal to ask at");
  return createInterface({ input: process.stdin, output, terminal: true });
}

async function answersTo(
  reading: Interface,
  questions: readonly string[],
  {
    afterAnswer = "",
    look = () => undefined,
  }: { readonly afterAnswer?: string; readonly look?: (answer: string) => void } = {},
): Promise<readonly string[]> {
  const lines = reading[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const question of questions) {
      process.stderr.write(question);
      const line = await lines.next();
      process.stderr.write(line.done === true ? "\n" : afterAnswer);
      if (line.done === true) throw new Stopped();
      look(line.value);
      answers.push(line.value);
    }
    return answers;
  } finally {
    reading.close();
  }
}

/** Ctrl-C or the end of the input instead of an answer. */
class Stopped extends Error {
  constructor() {
    super("stopped: nothing was changed");
  }
}
