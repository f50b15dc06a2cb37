import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Makes systemd believe that it runs this machine, in a mount namespace of its own. */
const OWN_RUN = "mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system";
const MANAGER = "/lib/systemd/systemd";

/** What keeps this machine from running a user instance of systemd, if anything. */
export function obstacle(): string | undefined {
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

export interface Service {
  systemctl(...args: readonly string[]): Promise<string>;
  /** A property of the unit, such as `MainPID`. */
  show(property: string): Promise<string>;
  /** Standard output and standard error of all its runs. */
  output(): Promise<string>;
  /** Resolves with the last match once the output has so many. */
  shows(pattern: RegExp, times?: number): Promise<RegExpMatchArray>;
}

/** Loads the unit into a user instance of systemd that ends with the test. Does not start it. */
export async function loadUnit(
  t: TestContext,
  unit: string,
  env: Readonly<Record<string, string>>,
): Promise<Service> {
  const folder = await tempDir(t);
  const path = (name: string): string => join(folder, name);
  const output = (): Promise<string> => readFile(path("output"), "utf8").catch(() => "");
  const settings = { DATA_DIR: path("latchkey"), PORT: "0", ...env };
  const dropIn = [
    ...["[Service]", ...WITHOUT, "ExecStart=", "EnvironmentFile="],
    `ExecStart=${process.execPath} -- ${MAIN} serve`,
    `EnvironmentFile=${path("env")}`,
    `StandardOutput=append:${path("output")}`,
    "StandardError=inherit",
  ];
  await mkdir(path("run"), { mode: 0o700 });
  await mkdir(path("systemd/user/latchkey.service.d"), { recursive: true });
  await writeFile(path("systemd/user/latchkey.service"), unit);
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
  const systemctl: Service["systemctl"] = async (...args) =>
    (await promisify(execFile)("systemctl", ["--user", ...args], { env: own })).stdout.trim();
  await eventually(() => systemctl("show-environment").catch(() => undefined));
  return {
    systemctl,
    output,
    show: (property) => systemctl("show", "latchkey", "--value", `--property=${property}`),
    shows: (pattern, times = 1) =>
      eventually(async () => {
        const found = [...(await output()).matchAll(new RegExp(pattern, "g"))];
        return found.length >= times ? found.at(-1) : undefined;
      }),
  };
}
