import { codeOf, messageOf } from "../core/base/fault.ts";
import { refusedSecret } from "../gate/refused-secret.ts";
import { serve } from "../gate/serve.ts";
import { createServerLog, type GateLog } from "../gate/server-log.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { settings } from "../gate/settings/table.ts";
import {
  type Command,
  firstSignal,
  isOnTerminal,
  SUCCESS,
  type Terminal,
  UsageError,
} from "./command.ts";

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
    "SIGTERM or SIGINT stops it after requests in flight are finished; a second signal stops it at once. A terminal that closes stops it too; without a terminal, SIGHUP changes nothing.",
  settings: settings.map(({ name }) => name),
  examples: [
    "latchkey serve --env-file latchkey.env",
    "latchkey serve --port 8080 --data-dir /var/lib/latchkey",
  ],

  async run(given, _options, terminal) {
    const refused = refusedSecret(given);
    if (refused !== undefined) throw new UsageError(refused);
    const log = createServerLog(given.logLevel, terminal.ports.stdout);
    try {
      return await serveUntilStopped(given, terminal, log);
    } finally {
      await log.finish();
    }
  },
};

async function serveUntilStopped(
  given: Settings,
  terminal: Terminal,
  log: GateLog,
): Promise<number> {
  const stopAsked = firstSignal(terminal.ports);
  const started = serve(given, log);
  if (!isOnTerminal(terminal.ports)) {
    // Without a listener, the signal would end the process.
    terminal.ports.on("SIGHUP", () =>
      log.warn({}, "SIGHUP ignored: restart the gate to read changed settings and files"),
    );
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
}
