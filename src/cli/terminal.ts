import { once } from "node:events";
import { printable } from "../files/printable.ts";

/** Exit codes. */
export const SUCCESS = 0;
export const FAILURE = 1;
export const WRONG_USAGE = 2;

type Stream = { readonly isTTY?: boolean; readonly fd?: number };

/** What commands use of the process. Only `main.ts` names `process`; tests pass their own streams. */
export interface Ports {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & Stream;
  readonly stdout: Output;
  readonly stderr: Output;
  on(signal: StopSignal | "SIGHUP", listener: SignalListener): unknown;
  /** Ends the process at once, whatever is still in flight. */
  exit(code: number): void;
}

type Output = NodeJS.WritableStream & Stream & { readonly columns?: number };

type SignalListener = (signal: string) => void;

const stopSignals = ["SIGTERM", "SIGINT"] as const;
type StopSignal = (typeof stopSignals)[number];

/** On a terminal, SIGHUP means that it was closed. */
export const isOnTerminal = ({ stdin, stdout }: Ports): boolean =>
  stdin.isTTY === true || stdout.isTTY === true;

/** Resolves with the first stop signal. The second one ends the process at once. */
export function firstSignal(ports: Ports): Promise<string> {
  return new Promise((resolve) => {
    // Not counted: shell and kernel both send it.
    if (isOnTerminal(ports)) ports.on("SIGHUP", resolve);
    let seen = 0;
    for (const signal of stopSignals) {
      ports.on(signal, () => {
        seen += 1;
        if (seen > 1) ports.exit(FAILURE);
        resolve(signal);
      });
    }
  });
}

/** Prints results on standard output, and everything else on standard error. */
export class Terminal {
  readonly ports: Ports;

  constructor(ports: Ports) {
    this.ports = ports;
  }

  print(text: string): void {
    this.ports.stdout.write(`${text}\n`);
  }

  /** For long output: waits for a slow reader instead of filling the memory. */
  async printAll(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const text = lines.map((line) => `${line}\n`).join("");
    if (!this.ports.stdout.write(text)) await once(this.ports.stdout, "drain");
  }

  complain(text: string): void {
    this.ports.stderr.write(`latchkey: ${printable(text)}\n`);
  }

  /** Prints the one line about what the command has done, and returns its exit code. */
  succeed(text: string): number {
    this.print(text);
    return SUCCESS;
  }

  /** Prints why the command has failed, and returns its exit code. */
  fail(text: string): number {
    this.complain(text);
    return FAILURE;
  }
}

/** `1 user`, `2 users`. */
export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
