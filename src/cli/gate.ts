import { type Process, SERVE } from "./command.ts";
import { runCommand, runInTerminal } from "./run-command.ts";
import { command } from "./serve.ts";

/**
 * Runs `latchkey serve` like `runLatchkey`, but without the other commands: the gate runs for long,
 * and V8 keeps the source of all that it has read.
 */
export const runGate = ([, ...args]: readonly string[], system: Process): Promise<number> =>
  runInTerminal(system, (terminal) => runCommand(SERVE, command, args, terminal));
