import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openPage } from "../support/browser.ts";
import { startDemo } from "../support/demo.ts";
import { heading, leave, submit } from "./forms.ts";

const title = (page: Page): Promise<string> => heading(page).innerText();
const tiles = (page: Page): Promise<readonly string[]> => page.locator("a.tile b").allInnerTexts();

test("shows the apps, consent and no access, and signs out", async (t) => {
  const page = await openPage(t, { statuses: [403] });
  const { url, plansUrl, admin, member } = await startDemo(t);
  const signOut = page.getByRole("button", { name: "Sign out" });
  const openTile = async (name: string): Promise<void> => {
    await page.goto(`${url}/apps`);
    await leave(page, () => page.locator("a.tile", { hasText: name }).click());
  };
  // Each page of the way from one site to another loads, and only the last one is waited for.
  const follow = (act: () => Promise<unknown>, to: string | RegExp): Promise<unknown> =>
    Promise.all([page.waitForURL(to), act()]);

  await page.goto(`${url}/`);
  await submit(page, "/login", member);
  assert.deepEqual([page.url(), await tiles(page)], [`${url}/apps`, ["Notes", "Photos"]]);
  assert.equal(await page.locator("a.tile img").count(), 2);
  await openTile("Photos");
  assert.equal(await title(page), "Hello, ben");

  await openTile("Notes");
  assert.match(page.url(), /\/oidc\/interaction\//);
  await follow(() => page.getByRole("button", { name: "Cancel" }).click(), /^http:\/\/localhost:/);
  assert.equal(await title(page), "Not signed in");
  await leave(page, () => page.getByRole("link", { name: "Try again" }).click());
  const agree = page.getByRole("button", { name: "Continue" });
  await follow(() => agree.click(), /^http:\/\/localhost:\d+\/$/);
  assert.equal(await title(page), "Hello, ben");
  await page.reload();
  assert.equal(await title(page), "Hello, ben", "consent is asked for once");

  await page.goto(`${plansUrl}/`);
  assert.match(await page.getByRole("alert").innerText(), /ben .*may not open.*Plans/s);
  await leave(page, () => page.getByRole("link", { name: "Your apps" }).click());
  assert.equal(page.url(), `${url}/apps`);
  await leave(page, () => signOut.click());
  await page.goto(`${plansUrl}/`);
  await submit(page, "/login", admin);
  assert.deepEqual([page.url(), await title(page)], [`${plansUrl}/`, "Hello, ada"]);
  await openTile("Notes");
  await follow(() => agree.click(), /^http:\/\/localhost:\d+\/$/);
  assert.equal(await title(page), "Hello, ada", "the app has no session of the last person");
});

test("a guest opens one app, and signs out", async (t) => {
  const page = await openPage(t, { statuses: [403] });
  const { url, plansUrl, guestLink } = await startDemo(t);
  await page.goto(guestLink);
  await leave(page, () => page.getByRole("button").click());
  assert.deepEqual([page.url(), await tiles(page)], [`${url}/apps`, ["Photos"]]);
  await leave(page, () => page.locator("a.tile").click());
  assert.match(await title(page), /^Hello, Guest/);
  await leave(page, () => page.getByRole("link", { name: "Your apps" }).click());
  await page.goto(`${plansUrl}/`);
  assert.equal(await title(page), "No access");
  await leave(page, () => page.getByRole("link", { name: "Your apps" }).click());
  await leave(page, () => page.getByRole("button", { name: "Sign out" }).click());
  await page.goto(`${url}/apps`);
  assert.equal(new URL(page.url()).pathname, "/login");
});
