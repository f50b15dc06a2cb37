import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { serve } from "../../src/gate/serve.ts";
import { createServerLog } from "../../src/gate/server-log.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";
import { readTokenFile } from "../../src/gate/setup-token-file.ts";
import { getErrorCode } from "../../src/lib/fault.ts";

/**
 * A gate in a process of its own that uses up all of its file descriptors on demand. Started under a
 * low limit, controlled by the messages `starve` and `relieve`.
 */
const reading = readSettings({ flags: { PORT: "0" }, envFile: undefined });
assert.deepEqual(reading.problems, []);
const { settings } = reading;
const gate = await serve(settings, createServerLog("error", process.stderr));

const held: number[] = [];
process.on("message", async (order) => {
  if (order === "starve") {
    process.send?.({ stoppedBy: holdAllDescriptors(), read: await readToken() });
  } else {
    for (const descriptor of held.splice(0)) closeSync(descriptor);
    process.send?.({ read: await readToken() });
  }
});
process.send?.({ url: gate.url });

function holdAllDescriptors(): string | undefined {
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch (error) {
    return getErrorCode(error);
  }
}

async function readToken(): Promise<string> {
  try {
    return `found ${(await readTokenFile(settings.setupTokenFile)).text}`;
  } catch (error) {
    return `failed with ${getErrorCode(error)}`;
  }
}
