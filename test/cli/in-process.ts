import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { latchkey } from "../../src/cli/latchkey.ts";

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Makes standard output a terminal of this width. */
  readonly columns?: number;
}

export interface RunningInProcess {
  /** Sends a signal to the command alone. */
  signal(name: "SIGINT" | "SIGTERM"): void;
  /** Resolves once standard output matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<{
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** Runs a command in this process, with streams, an environment and signals of its own. */
export function startInProcess(args: readonly string[], given: Given = {}): RunningInProcess {
  const { env = {}, input = "", columns } = given;
  const written = { stdout: "", stderr: "" };
  const signals = new EventEmitter();
  const output = (name: keyof typeof written): PassThrough => {
    const stream = new PassThrough().setEncoding("utf8");
    return stream.on("data", (text: string) => {
      written[name] += text;
      signals.emit("written");
    });
  };
  const stdin = new PassThrough();
  stdin.end(input);
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const ended = latchkey(args, {
    env,
    stdin,
    stdout: Object.assign(output("stdout"), terminal),
    stderr: output("stderr"),
    on: (signal, listener) => signals.on(signal, listener),
    once: (signal, listener) => signals.once(signal, listener),
    removeListener: (signal, listener) => signals.removeListener(signal, listener),
    exit(code) {
      throw new Error(`the command exits at once with ${code}`);
    },
  }).then((code) => ({ code, ...written }));
  return {
    ended,
    signal: (name) => void signals.emit(name, name),
    async shows(pattern) {
      for (;;) {
        const match = pattern.exec(written.stdout);
        if (match !== null) return match;
        await new Promise((resolve) => signals.once("written", resolve));
      }
    },
  };
}

export const runInProcess = (args: readonly string[], given?: Given): RunningInProcess["ended"] =>
  startInProcess(args, given).ended;
