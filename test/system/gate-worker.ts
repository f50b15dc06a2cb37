import { pino } from "pino";
import { type Gate, serve } from "../../src/gate/serve.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";

/**
 * One of several gates that share a store, each a process of its own. Starting a process takes far
 * longer than starting a gate, so it lives on: told settings, it starts a new gate with them and
 * answers with its address; told `stop`, it only stops the last one.
 */
let gate: Gate | undefined;

type Flags = Readonly<Record<string, string>>;

process.on("message", async (told: Flags | "stop") => {
  await gate?.stop();
  gate = told === "stop" ? undefined : await start(told);
  process.send?.(gate?.url ?? "");
});
process.on("disconnect", () => process.exit());

function start(flags: Flags): Promise<Gate> {
  const reading = readSettings({ flags: { PORT: "0", ...flags }, envFile: undefined });
  if (reading.kind === "wrong") throw new Error(reading.problems.map(({ text }) => text).join());
  return serve(reading.settings, pino({ level: "silent" }));
}
