import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { ROOT } from "../package/installed.ts";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { SECRET } from "../support/gate.ts";
import { INHERITED } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

test("SIGTERM for npm start stops the gate", { timeout: 30_000 }, async (t) => {
  const dir = await tempDir(t);
  const settings = { DATA_DIR: dir, PORT: "0", AUTH_SECRET: SECRET };
  const env = { ...INHERITED, HOME: dir, ...settings };
  // A process group of its own, which ends with the test even if the signal does not reach the gate.
  const npm = spawn("npm", ["start"], { cwd: ROOT, env, detached: true });
  t.after(() => {
    try {
      process.kill(-Number(npm.pid), "SIGKILL");
    } catch {
      // All have ended.
    }
  });
  const exited = once(npm, "exit");
  let stdout = "";
  npm.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const url = await eventually(() => /Latchkey listens on (http:\S+?)"/.exec(stdout)?.[1], 25_000);
  assert.equal((await send(`${url}/healthz`)).status, 200);
  npm.kill("SIGTERM");
  await exited;
  await eventually(
    async () => (await send(`${url}/healthz`).catch(() => "closed")) === "closed" || undefined,
  );
});
