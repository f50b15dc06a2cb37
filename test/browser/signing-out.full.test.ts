import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../support/app.ts";
import { openPage } from "../support/browser.ts";
import { SETUP_FORM } from "../support/gate.ts";
import { pathOf, submit } from "./forms.ts";

test("going back after a sign-out shows the sign-in page", async (t) => {
  const page = await openPage(t);
  const app = await startApp(t);
  await page.goto(`${app.url}/setup`);
  await submit(page, "/setup", SETUP_FORM);
  await page.goto(`${app.url}/operation`);
  const operation = await page.locator("body").innerText();
  assert.equal(operation, "for owner");
  await page.goto(`${app.url}/`);
  await submit(page, "/logout");
  await page.goBack();
  assert.equal(pathOf(page), "/login");
  await page.goBack();
  assert.equal(pathOf(page), "/login");
  assert.notEqual(await page.locator("body").innerText(), operation);
});
