import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openPage } from "../support/browser.ts";
import { assertAccessible } from "../support/browser-axe.ts";
import {
  assertPageWorks,
  PHONE,
  ROOT,
  routesByFile,
  START,
  serveSite,
  urlOf,
} from "./serve-site.ts";

serveSite();

/** One page of each kind: pages.proof.test.ts has all. */
const KINDS = [
  START,
  ...["tutorial", "apps", "apps/recipes", "apps/nextcloud", "proxies/examples"],
  ...["frameworks/next", "reference/settings", "performance", "threat-model"],
];

for (const route of KINDS) {
  test(`/${route} is accessible in both themes, fits a phone and asks no other host`, async (t) => {
    assert.ok(route === START || [...routesByFile.values()].includes(route), route);
    await assertPageWorks(t, route);
  });
}

/** The search loads its index and builds it in the browser, which takes long on a busy machine. */
const SEARCH_TIMEOUT_MS = 90_000;

test("the search finds a word without a server", async (t) => {
  const page = await openPage(t, {});
  page.setDefaultTimeout(SEARCH_TIMEOUT_MS);
  await page.goto(urlOf(START));
  await page.evaluate("customElements.whenDefined('site-search').then(() => undefined)");
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search" }).fill("fail2ban");
  await page.getByText(/^\d+ pages$/).waitFor();
  await assertAccessible(page);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/fail2ban\//);
});

test("the search leads to the page of each task that cannot wait", async (t) => {
  const page = await openPage(t, {});
  page.setDefaultTimeout(SEARCH_TIMEOUT_MS);
  await page.goto(urlOf(START));
  await page.getByRole("button", { name: /^Search/ }).click();
  const box = page.getByRole("searchbox", { name: "Search" });
  for (const [words, expected] of [
    ["reset a password", /^Reset a password$/],
    ["add an app", /^Add an app$/],
    ["put a second host behind it", /: Put a second host behind the gate$/],
    ["restore a backup", /^Back up and restore(: Restore)?$/],
    ["what happens when the database is down", /: What happens when the database is down$/],
    ["database is down", /: (What happens w|W)hen the database is down$/],
  ] as const) {
    await box.fill(words);
    const first = page.locator("site-search li a").first();
    await first.filter({ hasText: expected }).waitFor();
  }
});

for (const route of [START, "apps/recipes"]) {
  test(`/${route} shows the recipes that fit what is typed`, async (t) => {
    const page = await openPage(t, { givenUp: "allowed" });
    await page.goto(urlOf(route));
    const found = page.locator("recipe-search :is(li, tbody tr)").filter({ visible: true });
    const box = page.getByRole("searchbox", { name: "Find your app" });
    await box.fill("photos videos");
    await page.getByText(/^1 of \d+ recipes$/).waitFor();
    assert.match(await found.innerText(), /^Immich/);
    await assertAccessible(page);
    await box.fill("no such app");
    await page.getByText(/^No recipe/).waitFor();
    assert.equal(await found.count(), 0);
    await box.fill("immich");
    await found.getByRole("link").click();
    await page.waitForURL(urlOf("apps/immich"));
  });
}

test("the start page has the words of README.md, and the picture of the theme", async (t) => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const [, tagline = ""] = /^# .*\n\n(.*)\n/.exec(readme) ?? [];
  const page = await openPage(t, { givenUp: "allowed" });
  await page.goto(urlOf(START));
  await page.getByText(tagline, { exact: true }).waitFor();
  const bullets = readme.match(/^- \*\*/gm)?.length;
  assert.equal(await page.locator("main li > strong:first-child").count(), bullets);
  await page.getByRole("columnheader", { name: "Latchkey" }).waitFor();
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`.for-${scheme} img`).waitFor();
  }
});

const plots = [...routesByFile]
  .filter(([file]) => /^!\[[^\]]*\]\(\S+\.svg\)$/m.test(readFileSync(join(ROOT, file), "utf8")))
  .map(([, route]) => route);

test("each plot scrolls in a box of its own on a phone, with the keyboard too", async (t) => {
  assert.ok(plots.length > 0);
  for (const route of plots) {
    const page = await openPage(t, { size: PHONE, givenUp: "allowed" });
    await page.goto(urlOf(route));
    const plot = page.locator('main p > img[src*=".svg"]').first();
    await plot.scrollIntoViewIfNeeded();
    const box = page.locator('main p[tabindex="0"]:has(> img[src*=".svg"])').first();
    await box.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction("document.activeElement.scrollLeft > 0");
    const { width } = (await plot.boundingBox()) ?? assert.fail(route);
    assert.ok(width > PHONE.width, "keeps the size of its text");
  }
});

test("a search that cannot be loaded says so, and works after a reload", async (t) => {
  const page = await openPage(t, {});
  page.setDefaultTimeout(SEARCH_TIMEOUT_MS);
  const broken = { contentType: "text/javascript", body: "throw new Error()" };
  await page.route("**/pagefind.js", (route) => route.fulfill(broken), { times: 1 });
  await page.goto(urlOf(START));
  await page.getByRole("button", { name: /^Search/ }).click();
  const box = page.getByRole("searchbox", { name: "Search" });
  await box.fill("fail2ban");
  await page.getByText("could not be loaded").waitFor();
  await page.reload();
  await page.getByRole("button", { name: /^Search/ }).click();
  await box.fill("nginx");
  await page.getByText(/^\d+ pages$/).waitFor();
});

test("a click or an arrow key shows the block of one proxy everywhere", async (t) => {
  const page = await openPage(t, {});
  const shown = (): Promise<readonly string[]> =>
    page.locator("code-tabs [aria-selected=true]").allInnerTexts();
  await page.goto(urlOf("proxies/examples"));
  assert.deepEqual(await shown(), ["nginx", "nginx"]);
  await page.getByRole("tab", { name: "Caddy" }).first().click();
  assert.deepEqual(await shown(), ["Caddy", "Caddy"]);
  await page.keyboard.press("ArrowRight");
  await page.reload();
  assert.deepEqual(await shown(), ["HAProxy", "HAProxy"]);
});
