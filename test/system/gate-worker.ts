import assert from "node:assert/strict";
import { type Gate, serve } from "../../src/gate/serve.ts";
import { createServerLog } from "../../src/gate/server-log.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";

/**
 * A process that runs one of several gates with a shared store. Starting a process takes far
 * longer than starting a gate, so it is reused: on settings, it stops the gate, starts a new one and
 * answers with its address. On `stop`, it only stops the gate.
 */
let gate: Gate | undefined;

type Flags = Readonly<Record<string, string>>;

process.on("message", async (received: Flags | "stop") => {
  await gate?.stop();
  gate = received === "stop" ? undefined : await start(received);
  process.send?.(gate?.url ?? "");
});
process.on("disconnect", () => process.exit());

function start(flags: Flags): Promise<Gate> {
  const reading = readSettings({ flags: { PORT: "0", ...flags }, envFile: undefined });
  assert.deepEqual(reading.problems, []);
  return serve(reading.settings, createServerLog("error", { write: () => {} }));
}
