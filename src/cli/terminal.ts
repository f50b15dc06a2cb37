import { once } from "node:events";
import { printable } from "../gate/printable.ts";

/** What a command says: results on standard output, everything else on standard error. */
export interface Terminal {
  print(text: string): void;
  /** The same, for long output: waits for a slow reader instead of filling the memory. */
  printAll(lines: readonly string[]): Promise<void>;
  complain(text: string): void;
}

export function processTerminal(): Terminal {
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    async printAll(lines) {
      if (lines.length === 0) return;
      const text = lines.map((line) => `${line}\n`).join("");
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    },
    complain: (text) => void process.stderr.write(`latchkey: ${printable(text)}\n`),
  };
}
