/** Runs a command as a user who may not even read the checkout: all modules load beforehand. */
import { flushCompileCache } from "node:module";
import { commands } from "../../src/cli/commands.ts";
import { runLatchkey } from "../../src/cli/latchkey.ts";

const [user = "", ...args] = process.argv.slice(2);
await Promise.all(commands.map(({ load }) => load()));
// The other user could not write it.
flushCompileCache();
process.setgroups?.([]);
process.setgid?.(Number(user));
process.setuid?.(Number(user));
process.exitCode = await runLatchkey(args, process);
