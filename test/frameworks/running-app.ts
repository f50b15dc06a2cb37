import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { copyFile, cp, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { ROOT, run } from "../package/installed.ts";
import { type Answer, type Sending, send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { SECRET } from "../support/gate.ts";
import { type Running, startProgram } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { App } from "./apps.ts";
import { type Age, addFiles, copyLock, createApp, installAsShown } from "./template.ts";
import { templates } from "./templates.ts";

/** For a machine that is busy with other builds. */
const START_WITHIN_MS = 60_000;
const TYPE_CHECK = ["--noEmit", "--strict", "--skipLibCheck", "--erasableSyntaxOnly"];
const TARGET = ["--target", "es2024", "--module", "nodenext"];

export interface RunningApp {
  readonly app: App;
  readonly folder: string;
  readonly url: string;
  readonly running: Running;
  /** Sends a request as a browser does: a form with the origin of its page. */
  send(path: string, sending?: Sending): Promise<Answer>;
}

/** Scripts of an app that check it. */
const CHECKS = ["types", "typecheck", "check", "lint"];

export interface Source {
  /** The packed Latchkey. */
  readonly tarball: string;
  readonly age: Age;
}

/** Installs the app with the packed Latchkey, builds it and starts it. */
export async function startApp(t: TestContext, app: App, source: Source): Promise<RunningApp> {
  const folder = await installApp(app, source, await tempDir(t));
  const url = `http://127.0.0.1:${await freePort()}`;
  const { scripts } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const env = environment(folder, url);
  if (app.build !== undefined) {
    // Without a secret and without a database, as in the build of an image.
    await runToEnd(startScript(t, scripts.build, env, folder));
    assert.equal(existsSync(join(folder, "accounts.db")), false, "the build opens no database");
  }
  const { types } = app;
  if (types !== undefined) await checkTypes(folder, types);
  for (const check of CHECKS.filter((script) => scripts[script] !== undefined)) {
    await runToEnd(startScript(t, scripts[check], env, folder));
  }
  return startBuilt(t, app, folder, url);
}

/** Starts an app that is built and listens at this URL. */
async function startBuilt(
  t: TestContext,
  app: App,
  folder: string,
  url: string,
): Promise<RunningApp> {
  const { scripts } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const env = { ...environment(folder, url), AUTH_SECRET: SECRET };
  const running = startScript(t, app.start ?? scripts.start, env, folder);
  const answered = () => send(url).catch(() => undefined);
  await Promise.race([eventually(answered, START_WITHIN_MS), endedEarly(running)]);
  return {
    ...{ app, folder, url, running },
    send: (path, sending = {}) => {
      const { method, body, form, headers } = sending;
      const posts = body !== undefined || form !== undefined || method === "POST";
      const origin = posts ? { Origin: url } : {};
      return send(`${url}${path}`, { ...sending, headers: { ...origin, ...headers } });
    },
  };
}

/** Builds an app again that runs in this folder, and starts it beside that one. */
export async function startAgain(t: TestContext, { app, folder }: RunningApp): Promise<RunningApp> {
  const url = `http://127.0.0.1:${await freePort()}`;
  await runToEnd(startScript(t, "npm run build", environment(folder, url), folder));
  return startBuilt(t, app, folder, url);
}

/** Makes a new app by its template, or copies it; its lock file says which packages it gets. */
async function installApp(
  { name, code }: App,
  { tarball, age }: Source,
  parent: string,
): Promise<string> {
  const template = templates[name];
  await copyFile(tarball, join(parent, "latchkey.tgz"));
  if (template === undefined || (template.used ?? age) !== age) {
    const copied = await copyApp(name, parent);
    if (code !== undefined) await addFiles(code, copied);
    return installLocked(copied);
  }
  const folder = await createApp({ name, template }, parent, age);
  if (age === "pinned") {
    await copyLock(name, folder);
    return installLocked(folder);
  }
  await installAsShown(name, folder);
  return folder;
}

async function installLocked(folder: string): Promise<string> {
  await run(folder, "npm", "ci", "--prefer-offline", "--no-audit");
  return folder;
}

/** Copies the app without what an earlier run left in its folder. */
async function copyApp(name: string, parent: string): Promise<string> {
  const folder = join(parent, name);
  const source = join(ROOT, "examples", name);
  const filter = (path: string): boolean => !path.startsWith(join(source, "node_modules"));
  await cp(source, folder, { recursive: true, filter });
  return folder;
}

const environment = (folder: string, url: string): Readonly<Record<string, string>> => ({
  ...{ NODE_ENV: "production", ORIGIN: url, HOST: "127.0.0.1", PORT: new URL(url).port },
  ...{ NEXT_TELEMETRY_DISABLED: "1", ASTRO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  HOME: folder,
  PATH: [join(folder, "node_modules/.bin"), join(ROOT, "node_modules/.bin"), process.env.PATH]
    .filter((entry) => entry !== undefined)
    .join(delimiter),
});

/** Runs a script of `package.json` as npm does. */
const startScript = (
  t: TestContext,
  script: string,
  env: Readonly<Record<string, string>>,
  folder: string,
): Running => startProgram(t, "sh", ["-c", script], env, folder);

async function runToEnd({ ended }: Running): Promise<void> {
  const { code, stdout, stderr } = await ended;
  if (code !== 0) throw new Error(`exit code ${code}\n${stdout}${stderr}`);
}

async function endedEarly({ ended }: Running): Promise<never> {
  const { stdout, stderr } = await ended;
  throw new Error(`the app ended\n${stdout}${stderr}`);
}

async function checkTypes(folder: string, types: string): Promise<void> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [...TYPE_CHECK, ...TARGET, "--types", types, "app.ts"];
  await run(folder, process.execPath, tsc, ...args).catch((error: { stdout?: string }) => {
    throw new Error(error.stdout ?? String(error));
  });
}
