import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { send } from "../support/client.ts";
import { serveHere, startCommand } from "../support/command.ts";
import { folderWith } from "../support/pages.ts";
import { tempDir } from "../support/temp-dir.ts";

const RELOADED = /"msg":"(reloaded [^"]*)"/;

/** A gate with a sign-in page and a logo of its own. */
async function start(t: TestContext) {
  const dir = await folderWith(t, { "login.eta": "old", "logo.svg": "<svg/>" });
  const files = { PAGES_DIR: dir, LOGO_FILE: join(dir, "logo.svg") };
  const gate = await serveHere(t, { DATA_DIR: await tempDir(t), ...files });
  await send(`${gate.url}/setup`, { form: { username: "a", password: "b", confirm: "b" } });
  const page = async (): Promise<string> => (await send(`${gate.url}/login`)).body;
  const logo = async (): Promise<string> => (await send(`${gate.url}/latchkey-logo`)).body;
  return { ...gate, dir, shown: async () => [await page(), await logo()] };
}

test("SIGHUP replaces templates and logo, and logs one line", async (t) => {
  const { dir, shown, signal, shows, stdout } = await start(t);
  assert.deepEqual(await shown(), ["old", "<svg/>"]);
  await writeFile(join(dir, "login.eta"), "new <%= it.logoUrl %>");
  await writeFile(join(dir, "logo.svg"), "<svg></svg>");
  signal("SIGHUP");
  const [, line] = await shows(RELOADED);
  const expected = "reloaded templates and logo; changed settings take effect after a restart";
  assert.equal(line, expected);
  const [page, logo] = await shown();
  assert.match(page ?? "", /^new \/latchkey-logo\?v=/);
  assert.equal(logo, "<svg></svg>");
  assert.doesNotMatch(stdout(), /"level":"error"|stopping/);
});

test("SIGHUP keeps templates and logo if one of them is broken, with one error", async (t) => {
  const { dir, shown, signal, shows, stdout } = await start(t);
  await writeFile(join(dir, "login.eta"), "<% if (");
  await writeFile(join(dir, "logo.svg"), "<svg></svg>");
  signal("SIGHUP");
  const [line] = await shows(/.*reload failed, the old templates and logo stay in use.*/);
  assert.match(line, /login\.eta:1: /);
  assert.deepEqual(await shown(), ["old", "<svg/>"]);
  assert.equal(stdout().match(/"level":"error"/g)?.length, 1);
  assert.doesNotMatch(stdout(), RELOADED);
});

test("SIGHUP without files to read stops nothing, also during the start", async (t) => {
  const env = { DATA_DIR: await tempDir(t), PORT: "0" };
  const gate = startCommand(["serve"], { env });
  t.after(async () => {
    gate.signal("SIGTERM");
    await gate.ended;
  });
  await gate.shows(/development secret/);
  gate.signal("SIGHUP");
  await gate.shows(/listens on/);
  await gate.shows(RELOADED);
});

test("SIGHUP on a terminal stops the gate, as the terminal was closed", async (t) => {
  const env = { DATA_DIR: await tempDir(t), PORT: "0" };
  const gate = startCommand(["serve"], { env, columns: 80 });
  await gate.shows(/listens on/);
  for (let times = 0; times < 2; times += 1) gate.signal("SIGHUP");
  const { code, stdout } = await gate.ended;
  assert.deepEqual([code, /stopping.*SIGHUP/.test(stdout)], [0, true], stdout);
});
