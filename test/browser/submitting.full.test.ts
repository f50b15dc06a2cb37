import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { changeForm, OWNER, SETUP_FORM } from "../support/gate.ts";
import { alert, atGate, type Fields, fill, leave, pathOf, sendButton, submit } from "./forms.ts";

/** The number of forms that a double click sends if the first response is slow. */
async function sentByDoubleClick(page: Page, action: string, fields: Fields): Promise<number> {
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") sent += 1;
  });
  const { promise: clicked, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**${action}`, async (route) => {
    await clicked;
    await route.continue();
  });
  await fill(page, fields);
  await leave(page, async () => {
    const { x = 0, y = 0 } = (await sendButton(page, action).boundingBox()) ?? {};
    await Promise.all([page.waitForRequest(`**${action}`), page.mouse.click(x + 9, y + 9)]);
    await page.mouse.click(x + 9, y + 9, { clickCount: 2 });
    release();
  });
  return sent;
}

test("a double click sends one setup, one password change and one sign-in", async (t) => {
  const { page, gate } = await atGate(t);
  await page.goto(`${gate.url}/setup`);
  assert.equal(await sentByDoubleClick(page, "/setup", SETUP_FORM), 1);
  assert.equal(pathOf(page), "/apps");
  await page.goto(`${gate.url}/account/sign-in`);
  const change = changeForm(OWNER.password, "another horse");
  assert.equal(await sentByDoubleClick(page, "/account/password", change), 1);
  assert.equal(await alert(page).count(), 0);
  await page.goto(`${gate.url}/account/profile`);
  await submit(page, "/logout");
  const changed = { ...OWNER, password: "another horse" };
  assert.equal(await sentByDoubleClick(page, "/login", changed), 1);
  assert.equal(pathOf(page), "/apps");
});

declare const PageTransitionEvent: new (name: string, about: { persisted: boolean }) => object;
declare function dispatchEvent(event: object): void;

/** A response without a page leaves the form in the state in which the browser caches it for Back. */
test("a form that is restored from the back-forward cache can be sent again", async (t) => {
  const { page, gate } = await atGate(t, { givenUp: "allowed" });
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await page.route("**/login", (route) => route.fulfill({ status: 204 }), { times: 1 });
  await fill(page, OWNER);
  await Promise.all([page.waitForResponse("**/login"), sendButton(page, "/login").click()]);
  assert.equal(pathOf(page), "/login");
  assert.equal(await page.locator('form[aria-busy="true"]').count(), 1);
  await page.evaluate(() => {
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  });
  await leave(page, () => sendButton(page, "/login").click());
  assert.equal(pathOf(page), "/apps");
});
