import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { after, before, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { INDEX, RECIPES, readRoutes } from "../../scripts/site/pages.ts";
import { openPage } from "../support/browser.ts";
import { assertAccessible, COLOUR_RULES } from "../support/browser-axe.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const PHONE = { width: 390, height: 844 };

/** The pages of recipes are all alike, so one with every kind of entry stands for them. */
const RECIPE = "[Nextcloud](nextcloud.md)";
export const START = "";

/** The route of each page, by its file, with one recipe. */
export const routesByFile: ReadonlyMap<string, string> = readRoutes({
  [INDEX]: readFileSync(join(ROOT, INDEX), "utf8"),
  [RECIPES]: RECIPE,
});

const folder = join(ROOT, "scripts/site/dist");
/** Serves the site as a static host does. */
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
  const file = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
  const body = await readFile(join(folder, file)).catch(() => undefined);
  const type = TYPES[extname(file)] ?? "application/octet-stream";
  response.writeHead(body === undefined ? 404 : 200, { "Content-Type": type }).end(body);
});

export const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
export const urlOf = (route: string): string => `${origin()}/${route && `${route}/`}`;

/** Builds the site for the tests of a file, and serves it until they end. */
export function serveSite(): void {
  before(async () => {
    await promisify(execFile)(process.execPath, [join(ROOT, "scripts/site/main.ts")]);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
}

/** Opens a page in both themes and on a phone. */
export async function assertPageWorks(t: TestContext, route: string): Promise<void> {
  // Images below the window may still load at the end.
  const page = await openPage(t, { givenUp: "allowed" });
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  await page.goto(urlOf(route));
  await assertAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-theme=dark]").waitFor();
  await assertAccessible(page, COLOUR_RULES);
  await page.setViewportSize(PHONE);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
  assert.deepEqual([...origins], [origin()]);
}
