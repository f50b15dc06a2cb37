import assert from "node:assert/strict";
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { test } from "node:test";
import { tempDir } from "../support/temp-dir.ts";

const modules = ["serve.ts", "server-log.ts", "settings/settings.ts"].map((name) =>
  JSON.stringify(import.meta.resolve(`../../src/gate/${name}`)),
);

/** Starts a gate and stops it. Prints what was loaded. */
const SCRIPT = `import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
  const [{ serve }, { createServerLog }, { readSettings }] = await Promise.all(
    [${modules}].map((url) => import(url)));
  const { settings, problems } = readSettings({ flags: {}, envFile: undefined });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const gate = await serve(settings, createServerLog("info", process.stderr));
  await gate.stop();
  console.log(process.moduleLoadList.join("\\n"));`;

test("a gate loads neither fetch nor what sends notices before it has one", async (t) => {
  const env = {
    ...{ PATH: process.env.PATH, DATA_DIR: await tempDir(t), PORT: "0" },
    NOTIFY_URL: "ntfy://127.0.0.1:9/home",
  };
  const options: ExecFileSyncOptions = { env, stdio: ["ignore", "pipe", "ignore"] };
  const loaded = `${execFileSync(process.execPath, ["--input-type=module", "-e", SCRIPT], options)}`;
  assert.match(loaded, /src\/mail\/outbox-queue\.ts/);
  assert.doesNotMatch(loaded, /src\/mail\/(webhook|write-mail)\.ts|nodemailer/);
  assert.doesNotMatch(loaded, /deps\/undici\/undici/);
});
