import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { OWNER } from "../support/gate.ts";
import { atGate, atHome, field, fill, focused, formOf, sendButton } from "./forms.ts";

const showButton = (within: Page | Locator, label: string): Locator =>
  within.getByRole("button", { name: `Show: ${label}`, exact: true });
const hideButton = (within: Page | Locator, label: string): Locator =>
  within.getByRole("button", { name: `Hide: ${label}`, exact: true });

test("the fields of the password change tell password managers what they are", async (t) => {
  const { page } = await atHome(t);
  const form = formOf(page, "/account/password");
  const username = field(form, "username");
  assert.deepEqual([await username.inputValue(), await username.isVisible()], ["owner", false]);
  for (const [name, purpose] of [
    ["username", "username"],
    ["current_password", "current-password"],
    ["new_password", "new-password"],
    ["confirm_password", "new-password"],
  ] as const) {
    assert.equal(await field(form, name).getAttribute("autocomplete"), purpose);
  }
  for (const input of await page.locator("input:visible:not([type=checkbox])").all()) {
    assert.equal(await input.getAttribute("spellcheck"), "false");
    assert.equal(await input.getAttribute("autocapitalize"), "none");
  }
});

test("each password field has a button that shows and hides it", async (t) => {
  const { page } = await atHome(t);
  const form = formOf(page, "/account/password");
  await field(form, "new_password").fill("another horse");
  const typeOf = (name: string) => field(form, name).getAttribute("type");
  await showButton(form, "New password").press("Enter");
  const types = [await typeOf("current_password"), await typeOf("new_password")];
  assert.deepEqual(types, ["password", "text"]);
  assert.equal(await field(form, "new_password").inputValue(), "another horse");
  const hide = hideButton(form, "New password");
  assert.equal(await hide.evaluate((button) => button.matches(":focus")), true, "keeps the focus");
  await hide.press("Space");
  assert.equal(await typeOf("new_password"), "password");
  for (const label of ["Current password", "New password", "Repeat password"]) {
    assert.equal(await showButton(form, label).count(), 1, label);
  }
});

test("submits a shown password as a password field, so browsers save it", async (t) => {
  const { page, gate } = await atGate(t, { givenUp: "allowed" });
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await fill(page, OWNER);
  await showButton(page, "Password").click();
  assert.equal(await field(page, "password").getAttribute("type"), "text");
  // A response without a page leaves the form open for inspection.
  await page.route("**/login", (route) => route.fulfill({ status: 204 }));
  const [sent] = await Promise.all([
    page.waitForRequest("**/login"),
    sendButton(page, "/login").click(),
  ]);
  assert.equal(sent.postData(), "username=owner&password=correct+horse");
  assert.equal(await field(page, "password").getAttribute("type"), "password");
});

/** Types a letter with Caps Lock on or off. */
const typed = (input: Locator, capsLock: "on" | "off") =>
  input.dispatchEvent("keydown", { key: "A", modifierCapsLock: capsLock === "on" });

const hints = (page: Page) =>
  page.getByRole("status").filter({ hasText: "Caps Lock is on." }).count();

const hintsWill = (page: Page, count: number) =>
  eventually(async () => ((await hints(page)) === count ? true : undefined));

test("hints at Caps Lock in a focused password field, never at a username", async (t) => {
  const { page, gate } = await atGate(t);
  await page.goto(`${gate.url}/login`);
  const password = field(page, "password");
  await password.focus();
  assert.equal(await hints(page), 0);
  await typed(password, "on");
  await hintsWill(page, 1);
  await field(page, "username").focus();
  await hintsWill(page, 0);
  await typed(field(page, "username"), "on");
  assert.deepEqual([await hints(page), await focused(page)], [0, "username"]);
});
