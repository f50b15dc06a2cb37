import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { reportSkipped, whereInstalled } from "../proxies/program.ts";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { SECRET } from "../support/gate.ts";
import { startPostgres } from "../support/postgres.ts";
import { MAIN } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const UNIT = fileURLToPath(new URL("../../docs/deploy/latchkey.service", import.meta.url));
const LISTENS = /Latchkey listens on (http:\S+?)"/;

/** Makes systemd believe that it runs this machine, in a mount namespace of its own. */
const OWN_RUN = "mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system";
const MANAGER = "/lib/systemd/systemd";

/** What keeps this machine from running a user instance of systemd, if anything. */
function obstacle(): string | undefined {
  try {
    execFileSync("unshare", ["-m", "sh", "-c", `test -x ${MANAGER} && ${OWN_RUN}`], {
      stdio: "ignore",
    });
    return undefined;
  } catch {
    return "a user instance of systemd needs root and the program systemd";
  }
}

/** Directives of the unit that a user instance or this machine cannot apply. */
const WITHOUT = [
  // Only the system instance creates users. Root gives its files to the owner of their folder.
  "DynamicUser=no",
  "SystemCallFilter=",
  // The checkout and its data can be in a home folder or in /tmp.
  "ProtectHome=no",
  "PrivateTmp=no",
  // Containers have no writable control groups that could be mounted again.
  "ProtectControlGroups=no",
];

/** Loads the unit into a user instance of systemd that ends with the test. Does not start it. */
async function load(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const folder = await tempDir(t);
  const path = (name: string): string => join(folder, name);
  const output = (): Promise<string> => readFile(path("output"), "utf8").catch(() => "");
  const settings = { DATA_DIR: path("latchkey"), PORT: "0", AUTH_SECRET: SECRET, ...env };
  const dropIn = [
    ...["[Service]", ...WITHOUT, "ExecStart=", "EnvironmentFile="],
    `ExecStart=${process.execPath} -- ${MAIN} serve`,
    `EnvironmentFile=${path("env")}`,
    `StandardOutput=append:${path("output")}`,
    "StandardError=inherit",
  ];
  await mkdir(path("run"), { mode: 0o700 });
  await mkdir(path("systemd/user/latchkey.service.d"), { recursive: true });
  await copyFile(UNIT, path("systemd/user/latchkey.service"));
  await writeFile(path("systemd/user/latchkey.service.d/test.conf"), `${dropIn.join("\n")}\n`);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(path("env"), lines.join(""));

  const own = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    XDG_RUNTIME_DIR: path("run"),
    // The folder of StateDirectory: the first until systemd 253, the second later.
    XDG_CONFIG_HOME: folder,
    XDG_STATE_HOME: folder,
  };
  const start = `${OWN_RUN} && exec ${MANAGER} --user`;
  const manager = spawn("unshare", ["-m", "sh", "-c", start], { env: own, stdio: "ignore" });
  const ended = once(manager, "exit");
  t.after(async () => {
    manager.kill("SIGTERM");
    await ended;
  });
  const systemctl = async (...args: readonly string[]) =>
    (await promisify(execFile)("systemctl", ["--user", ...args], { env: own })).stdout.trim();
  await eventually(() => systemctl("show-environment").catch(() => undefined));
  return {
    systemctl,
    /** Standard output and standard error of all its runs. */
    output,
    /** A property of the unit, such as `MainPID`. */
    show: (property: string) => systemctl("show", "latchkey", "--value", `--property=${property}`),
    /** Resolves with the last match once the output has so many. */
    shows: (pattern: RegExp, times = 1) =>
      eventually(async () => {
        const found = [...(await output()).matchAll(new RegExp(pattern, "g"))];
        return found.length >= times ? found.at(-1) : undefined;
      }),
  };
}

const healthOf = async ([, url]: RegExpMatchArray): Promise<number> =>
  (await send(`${url}/healthz`)).status;

whereInstalled("systemctl", () => {
  const reason = obstacle();
  if (reason !== undefined) return reportSkipped(reason);

  test("signals that mean nothing to the unit do not end it, and it stops after its requests", async (t) => {
    const { systemctl, show, shows, output } = await load(t);
    await systemctl("start", "latchkey");
    const started = await shows(LISTENS);
    const pid = await show("MainPID");
    for (const signal of ["SIGHUP", "SIGUSR1"]) process.kill(Number(pid), signal);
    await shows(/SIGHUP ignored/);
    assert.equal(await healthOf(started), 200);
    assert.deepEqual([await show("MainPID"), await show("NRestarts")], [pid, "0"]);
    await systemctl("stop", "latchkey");
    assert.deepEqual([await show("ActiveState"), await show("Result")], ["inactive", "success"]);
    assert.match(await output(), /"msg":"stopped"}\n$/);
  });

  test("the unit starts the gate again after a kill and after an end", async (t) => {
    const { systemctl, show, shows } = await load(t);
    await systemctl("start", "latchkey");
    await shows(LISTENS);
    process.kill(Number(await show("MainPID")), "SIGKILL");
    await shows(LISTENS, 2);
    process.kill(Number(await show("MainPID")), "SIGTERM");
    assert.equal(await healthOf(await shows(LISTENS, 3)), 200);
  });

  test("the unit does not start the gate again with a setting that is wrong", async (t) => {
    const { systemctl, show, shows } = await load(t, { PORT: "none" });
    await systemctl("start", "latchkey");
    await shows(/PORT="none" is invalid/);
    const failed = async () => (await show("ActiveState")) === "failed" || undefined;
    assert.equal(await eventually(failed), true);
    assert.equal(await show("NRestarts"), "0");
  });

  test("the unit brings the gate up once its database is there", async (t) => {
    const database = await startPostgres(t);
    const url = await database.newDatabase();
    await database.stop();
    const { systemctl, output, shows } = await load(t, { DATABASE_URL: url });
    await systemctl("start", "latchkey");
    await eventually(async () => (await output()) || undefined);
    await database.start();
    assert.equal(await healthOf(await shows(LISTENS)), 200);
  });
});
