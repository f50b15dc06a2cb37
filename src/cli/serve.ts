import { secretProblem } from "../core/production-secret.ts";
import { serve } from "../gate/serve.ts";
import { createServerLog } from "../gate/server-log.ts";
import { settings } from "../gate/settings/setting-names.ts";
import { type Command, FAILURE, SUCCESS, WRONG_USAGE } from "./command.ts";

export const serveCommand: Command = {
  name: "serve",
  summary:
    "Starts the gate. SIGTERM or SIGINT stops it, finishing what is in flight; a second one ends it at once.",
  options: [],
  settings: settings.map(({ name }) => name),

  async run(given, _options, terminal) {
    const problem = secretProblem(given);
    if (problem !== undefined) {
      terminal.complain(problem);
      return WRONG_USAGE;
    }
    const log = createServerLog(given.logLevel, process.stdout);
    const stopAsked = firstSignal();
    const gate = await serve(given, log);
    log.info({ signal: await stopAsked }, "stopping");
    await gate.stop();
    log.info("stopped");
    return SUCCESS;
  },
};

/** The second signal ends the process at once, whatever is still in flight. */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    let seen = 0;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        seen += 1;
        if (seen > 1) process.exit(FAILURE);
        resolve(signal);
      });
    }
  });
}
