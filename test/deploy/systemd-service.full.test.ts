import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { reportSkipped, whereInstalled } from "../proxies/program.ts";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { SECRET } from "../support/gate.ts";
import { folderWith } from "../support/pages.ts";
import { startPostgres } from "../support/postgres.ts";
import { loadUnit, obstacle, type Service } from "./user-manager.ts";

const UNIT = fileURLToPath(new URL("../../docs/deploy/latchkey.service", import.meta.url));
const LISTENS = /Latchkey listens on (http:\S+?)"/;

async function load(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<Service> {
  return loadUnit(t, await readFile(UNIT, "utf8"), { AUTH_SECRET: SECRET, ...env });
}

const healthOf = async ([, url]: RegExpMatchArray): Promise<number> =>
  (await send(`${url}/healthz`)).status;

whereInstalled("systemctl", () => {
  const reason = obstacle();
  if (reason !== undefined) return reportSkipped(reason);

  test("the unit reloads in the same process, and stops after its requests", async (t) => {
    const dir = await folderWith(t, { "login.eta": "old" });
    const { systemctl, show, shows, output } = await load(t, { PAGES_DIR: dir });
    await systemctl("start", "latchkey");
    const started = await shows(LISTENS);
    const pid = await show("MainPID");
    await writeFile(join(dir, "login.eta"), "new");
    await systemctl("reload", "latchkey");
    await shows(/reloaded templates/);
    process.kill(Number(pid), "SIGUSR1");
    assert.equal(await healthOf(started), 200);
    assert.deepEqual([await show("MainPID"), await show("NRestarts")], [pid, "0"]);
    await systemctl("stop", "latchkey");
    assert.deepEqual([await show("ActiveState"), await show("Result")], ["inactive", "success"]);
    assert.match(await output(), /"msg":"stopped"}\n$/);
  });

  test("the unit starts the gate again after it was killed, and after it stopped by itself", async (t) => {
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
