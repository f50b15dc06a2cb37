import { codeOf, messageOf } from "../core/base/fault.ts";
import { weakSecrets } from "../core/sessions/secrets.ts";
import { serve } from "../gate/serve.ts";
import { createServerLog } from "../gate/server-log.ts";
import { SECRET_SETTINGS } from "../gate/settings/settings.ts";
import { settings } from "../gate/settings/table.ts";
import { secretRefusal } from "../settle-options.ts";
import { type Command, firstSignal, isOnTerminal, SUCCESS, UsageError } from "./command.ts";

/**
 * Failures that a restart cannot end. They exit like wrong settings, with the code at which a
 * service manager is told not to try again.
 */
const STAYS: readonly string[] = ["database_incomplete", "not_latchkey", "schema_newer"];

function failStart(error: unknown): never {
  if (!STAYS.includes(codeOf(error) ?? "")) throw error;
  throw new UsageError(messageOf(error), { cause: error });
}

export const command: Command = {
  details:
    "SIGTERM or SIGINT stops it after requests in flight are finished; a second signal stops it at once. SIGHUP reads templates and logo again, or stops it if it runs on a terminal that closes.",
  settings: settings.map(({ name }) => name),
  examples: [
    "latchkey serve --env-file latchkey.env",
    "latchkey serve --port 8080 --data-dir /var/lib/latchkey",
  ],

  async run(given, _options, terminal) {
    const [weak] = given.nodeEnv === "production" ? weakSecrets(given) : [];
    if (weak !== undefined) throw new UsageError(secretRefusal(weak, SECRET_SETTINGS));
    const log = createServerLog(given.logLevel, terminal.ports.stdout);
    const stopAsked = firstSignal(terminal.ports);
    const started = serve(given, log);
    if (!isOnTerminal(terminal.ports)) {
      // A failed start is reported below.
      terminal.ports.on("SIGHUP", () => started.then((gate) => gate.reload()).catch(() => {}));
    }
    const gate = await started.catch(failStart);
    const failed = gate.begun.then(
      () => stopAsked,
      (error) => gate.stop().then(() => failStart(error)),
    );
    log.info({ signal: await Promise.race([stopAsked, failed]) }, "stopping");
    await gate.stop();
    log.info({}, "stopped");
    return SUCCESS;
  },
};
