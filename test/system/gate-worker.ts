import { pino } from "pino";
import { type Gate, serve } from "../../src/server/serve.ts";
import { readSettings } from "../../src/server/settings.ts";

/**
 * One of several gates that share a data folder, each a process of its own. Starting a process takes
 * far longer than starting a gate, so it lives on: told a data folder, it starts a new gate there
 * and answers with its address; told `""`, it only stops the last one.
 */
let gate: Gate | undefined;

process.on("message", async (dataDir: string) => {
  await gate?.stop();
  gate = dataDir === "" ? undefined : await start(dataDir);
  process.send?.(gate?.url ?? "");
});
process.on("disconnect", () => process.exit());

function start(dataDir: string): Promise<Gate> {
  const reading = readSettings({ flags: { PORT: "0", DATA_DIR: dataDir }, envFile: undefined });
  if (reading.kind === "wrong") throw new Error(reading.problems.join());
  return serve(reading.settings, pino({ level: "silent" }));
}
