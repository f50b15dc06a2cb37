/** Node-RED of npm, with what the recipe says to enter. */
import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { submit } from "../browser/forms.ts";
import { enterPassword } from "../clients/site.ts";
import { installPackages } from "../support/packages.ts";
import { startNode } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { operate, type RecipeSite, startRecipeSite } from "./recipe-app.ts";

const PACKAGES = fileURLToPath(new URL("./packages/node-red/", import.meta.url));
/** The editor asks no other server for its catalogue of nodes. */
const OFFLINE = "editorTheme: { palette: { catalogues: [] } },";

test("node-red: the editor opens after a sign-in, and its interface to nobody before", async (t) => {
  const site = await startRecipeSite(t, "node-red", {
    expected: {
      logs: /^(JQMIGRATE|Node-RED|Versions|jQuery|D3|console|Projects)/,
      statuses: [401],
    },
  });
  await startNodeRed(t, site);
  const { page, appUrl, issuer, start } = site;
  const readFlows = async (token: string): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${appUrl}/flows`, { headers })).status;
  };
  assert.equal(await readFlows("x"), 401);

  const check = ["app", "check", site.settings.CLIENT_ID, "--recipe", "node-red"];
  const report = await operate(site, {}, ...check);
  assert.match(report, /ok +start .*\/auth\/strategy begins the sign-in/);
  assert.match(report, /ok +tokens /);
  assert.match(report, /^No problems found/m);

  await page.goto(appUrl);
  await enterPassword(site);
  await page.locator("#red-ui-header-button-deploy").waitFor();
  const stored = await page.evaluate("localStorage.getItem('auth-tokens')");
  const { access_token: token } = JSON.parse(String(stored));
  assert.equal(await readFlows(token), 200);
  const headers = { Authorization: `Bearer ${token}` };
  const settings = await (await fetch(`${appUrl}/settings`, { headers })).text();
  assert.equal(JSON.parse(settings).user.username, "owner");

  // The browser that has lost the token of Node-RED gets another one without a question.
  await page.evaluate("localStorage.clear()");
  assert.ok(start);
  await page.goto(appUrl + start);
  await page.locator("#red-ui-header-button-deploy").waitFor();

  await page.evaluate("localStorage.clear()");
  await page.goto(`${issuer}/`);
  await submit(page, "/logout");
  await page.goto(appUrl);
  await page.waitForURL(`${issuer}/login?**`);
});

async function startNodeRed(t: TestContext, site: RecipeSite): Promise<void> {
  const folder = await tempDir(t);
  const packages = join(await installPackages(PACKAGES, "latchkey-node-red"), "node_modules");
  await symlink(packages, join(folder, "node_modules"));
  const settings = join(folder, "settings.js");
  const own = `uiPort: ${site.appPort}, uiHost: "127.0.0.1", telemetry: { enabled: false }, ${OFFLINE}`;
  const lines = ["module.exports = {", own, ...site.linesOf("settings.js"), "};", ""];
  await writeFile(settings, lines.join("\n"));
  const args = [join(packages, "node-red/red.js"), "--userDir", folder, "--settings", settings];
  await startNode(t, args, { HOME: folder }, folder).shows(/Server now running at/);
}
