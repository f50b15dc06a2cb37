import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN, startProgram } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { text } from "./pages.ts";

const LOG = "/var/log/latchkey.log";
const [, snippet = ""] = /```text\n([^`]*copytruncate[^`]*)```/.exec(text("docs/logs.md")) ?? [];

whereInstalled("logrotate", (program) => {
  test("the snippet for logrotate cuts the log of a running gate, which continues at its start", async (t) => {
    const folder = await tempDir(t);
    const log = join(folder, "latchkey.log");
    const configuration = join(folder, "logrotate.conf");
    assert.ok(snippet.includes(LOG), "finds the snippet");
    await writeFile(log, "");
    await writeFile(configuration, snippet.replace(LOG, log), { mode: 0o644 });
    const lines = async (file: string): Promise<readonly string[]> =>
      (await readFile(file, "utf8")).trimEnd().split("\n");
    const refuse = (url: string) =>
      send(`${url}/logout`, { form: {}, headers: { "Sec-Fetch-Site": "cross-site" } });

    const command = `exec '${process.execPath}' -- '${MAIN}' serve >> '${log}'`;
    const env = { PORT: "0", DATA_DIR: join(folder, "data") };
    startProgram(t, "sh", ["-c", command], env);
    const url = await eventually(async () => {
      const written = await readFile(log, "utf8");
      return /Latchkey listens on (http:\S+?)"/.exec(written)?.[1];
    });
    await refuse(url);
    const before = await lines(log);

    const state = join(folder, "state");
    await promisify(execFile)(program, ["--force", "--state", state, configuration]);
    assert.deepEqual(await lines(`${log}.1`), before);
    assert.equal(await readFile(log, "utf8"), "");

    await refuse(url);
    const after = await lines(log);
    assert.deepEqual(
      after.map((line) => JSON.parse(line).msg),
      ["form of another site refused"],
    );
  });
});
