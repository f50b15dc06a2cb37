import { explainRefusedSecret } from "../gate/explain-refused-secret.ts";
import { settleSecret } from "../gate/make-secret-file.ts";
import { serve } from "../gate/serve.ts";
import { createServerLog, type GateLog } from "../gate/server-log.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { settings } from "../gate/settings/table.ts";
import { getErrorCode, getErrorMessage } from "../lib/fault.ts";
import {
  type Command,
  isOnTerminal,
  SUCCESS,
  type Terminal,
  UsageError,
  waitForSignal,
} from "./command.ts";

/**
 * Lists failures that a restart cannot fix. They exit like wrong settings, with the exit code after
 * which a service manager does not restart.
 */
const LASTING_FAULTS: readonly string[] = ["database_incomplete", "not_latchkey", "schema_newer"];

function failStart(error: unknown): never {
  if (!LASTING_FAULTS.includes(getErrorCode(error) ?? "")) throw error;
  throw new UsageError(getErrorMessage(error), { cause: error });
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
    const gateSettings = await settleSecret(given);
    const secretProblem = explainRefusedSecret(gateSettings);
    if (secretProblem !== undefined) throw new UsageError(secretProblem);
    const log = createServerLog(gateSettings.logLevel, terminal.system.stdout);
    try {
      return await serveUntilStopped(gateSettings, terminal, log);
    } finally {
      await log.finish();
    }
  },
};

async function serveUntilStopped(
  gateSettings: Settings,
  terminal: Terminal,
  log: GateLog,
): Promise<number> {
  const stopSignal = waitForSignal(terminal.system);
  const started = serve(gateSettings, log);
  if (!isOnTerminal(terminal.system)) {
    // Without a listener, the signal would end the process.
    terminal.system.on("SIGHUP", () =>
      log.warn({}, "SIGHUP ignored: restart the gate to read changed settings and files"),
    );
  }
  const gate = await started.catch(failStart);
  const failed = gate.startup.then(
    () => stopSignal,
    (error) => gate.stop().then(() => failStart(error)),
  );
  log.info({ signal: await Promise.race([stopSignal, failed]) }, "stopping");
  await gate.stop();
  log.info({}, "stopped");
  return SUCCESS;
}
