import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { serveHere, startCommand } from "../support/command.ts";
import { folderWith } from "../support/pages.ts";
import { tempDir } from "../support/temp-dir.ts";

const IGNORED = /"level":"warn".*"msg":"SIGHUP ignored: restart the gate to read [^"]*"/;

test("SIGHUP changes nothing, and the log says so", async (t) => {
  const folder = await folderWith(t, { "logo.svg": "<svg/>", "own.css": "a {}" });
  const [LOGO_FILE, CUSTOM_CSS] = [join(folder, "logo.svg"), join(folder, "own.css")];
  const gate = await serveHere(t, { DATA_DIR: await tempDir(t), LOGO_FILE, CUSTOM_CSS });
  const { body } = await send(`${gate.url}/setup`);
  await writeFile(LOGO_FILE, "<svg></svg>");
  await writeFile(CUSTOM_CSS, "b {}");
  gate.signal("SIGHUP");
  await gate.shows(IGNORED);
  assert.equal((await send(`${gate.url}/setup`)).body, body);
  assert.equal((await send(`${gate.url}/latchkey-logo`)).body, "<svg/>");
  assert.doesNotMatch(gate.stdout(), /"level":"error"|stopping/);
});

test("SIGHUP does not stop a gate that starts", async (t) => {
  const env = { DATA_DIR: await tempDir(t), PORT: "0" };
  const gate = startCommand(["serve"], { env });
  t.after(async () => {
    gate.signal("SIGTERM");
    await gate.ended;
  });
  await gate.shows(/development secret/);
  gate.signal("SIGHUP");
  await gate.shows(IGNORED);
  await gate.shows(/listens on/);
});

test("SIGHUP on a terminal stops the gate, as the terminal was closed", async (t) => {
  const env = { DATA_DIR: await tempDir(t), PORT: "0" };
  const gate = startCommand(["serve"], { env, columns: 80 });
  await gate.shows(/listens on/);
  for (let times = 0; times < 2; times += 1) gate.signal("SIGHUP");
  const { code, stdout } = await gate.ended;
  assert.deepEqual([code, /stopping.*SIGHUP/.test(stdout)], [0, true], stdout);
});
