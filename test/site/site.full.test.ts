import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildSite } from "../../site/build.ts";
import { INDEX, readRoutes } from "../../site/pages.ts";
import { openPage } from "../support/browser.ts";
import { assertAccessible } from "../support/browser-axe.ts";
import { type StaticServer, serveFolder } from "./serve.ts";

const PHONE = { width: 390, height: 844 };

const index = await readFile(new URL(`../../${INDEX}`, import.meta.url), "utf8");
const routes = [...readRoutes(index).values()];

let folder: string;
let site: StaticServer;

const urlOf = (route: string): string => `${site.url}/${route && `${route}/`}`;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "latchkey-site-"));
  await buildSite(folder, "/");
  site = await serveFolder(folder);
});

after(async () => {
  site.close();
  await rm(folder, { recursive: true, force: true });
});

test("every page of the index is on the site", () => assert.ok(routes.length > 40));

for (const route of routes) {
  test(`/${route} is accessible in both themes, fits a phone and asks no other host`, async (t) => {
    // Images below the window may still load at the end.
    const page = await openPage(t, { givenUp: "allowed" });
    const origins = new Set<string>();
    page.on("request", (request) => origins.add(new URL(request.url()).origin));
    await page.goto(urlOf(route));
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html[data-theme=dark]").waitFor();
    await assertAccessible(page, ["color-contrast"]);
    await page.setViewportSize(PHONE);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    assert.deepEqual([...origins], [site.url]);
  });
}

test("the keyboard reaches the content, the search and the navigation", async (t) => {
  const page = await openPage(t, {});
  await page.goto(urlOf("proxies/caddy"));
  const reached: string[] = [];
  for (let step = 0; step < 6; step += 1) {
    await page.keyboard.press("Tab");
    reached.push((await page.locator(":focus").innerText()).split("\n")[0] ?? "");
  }
  assert.deepEqual(reached.slice(0, 3), ["Skip to content", "Latchkey", "Search"]);
  assert.equal(reached[5], "Quick start");
  await page.keyboard.press("Enter");
  await page.waitForURL(urlOf(""));
});

test("the search finds a word without a server", async (t) => {
  const page = await openPage(t, {});
  await page.goto(urlOf(""));
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search" }).fill("fail2ban");
  await page.getByText(/^\d+ pages$/).waitFor();
  await assertAccessible(page);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/fail2ban\//);
});

test("a click or an arrow key shows the block of one proxy everywhere", async (t) => {
  const page = await openPage(t, {});
  const shown = (): Promise<readonly string[]> =>
    page.locator("code-tabs [aria-selected=true]").allInnerTexts();
  await page.goto(urlOf("proxies/recipes"));
  assert.deepEqual(await shown(), ["nginx", "nginx", "nginx"]);
  await page.getByRole("tab", { name: "Caddy" }).first().click();
  assert.deepEqual(await shown(), ["Caddy", "Caddy", "Caddy"]);
  await page.keyboard.press("ArrowRight");
  await page.reload();
  assert.deepEqual(await shown(), ["HAProxy", "HAProxy", "HAProxy"]);
});

test("all blocks are visible without scripts", async (t) => {
  const page = await openPage(t, { scripts: "off" });
  await page.goto(urlOf("proxies/recipes"));
  assert.equal(await page.locator("[data-label]:visible").count(), 9);
});
