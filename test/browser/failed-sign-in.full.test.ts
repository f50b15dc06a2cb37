import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { getWords } from "../../src/pages/words.ts";
import { OWNER } from "../support/gate.ts";
import { alert, atGate, field, focused, leave, pathOf, submit } from "./forms.ts";

const en = getWords("en");
const WRONG = { ...OWNER, password: "wrong" } as const;

const username = (page: Page): Promise<string> => field(page, "username").inputValue();

declare const sessionStorage: { readonly length: number };
const stored = (page: Page): Promise<number> => page.evaluate(() => sessionStorage.length);

test("keeps the username and asks for the password, and then forgets the name", async (t) => {
  const { page, gate } = await atGate(t);
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await submit(page, "/login", WRONG);
  assert.equal(pathOf(page), "/login?error=1");
  await page.locator('[name="password"]:focus').waitFor();
  assert.deepEqual([await username(page), await stored(page)], ["owner", 0]);
  assert.equal(await field(page, "password").inputValue(), "");
  assert.equal((await alert(page).innerText()).trim(), en.signInFailed);

  await page.keyboard.type(OWNER.password);
  await leave(page, () => page.keyboard.press("Enter"));
  assert.equal(pathOf(page), "/apps");
  assert.equal(await stored(page), 0);
});

test("shows no earlier username on a sign-in page that has no error", async (t) => {
  const { page, gate } = await atGate(t);
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await submit(page, "/login", WRONG);
  for (const path of ["/login", "/login?error=1"]) {
    await page.goto(`${gate.url}${path}`);
    assert.deepEqual([await username(page), await focused(page)], ["", "username"], path);
  }
});

test("explains the limit from the third failed attempt in a row on", async (t) => {
  const { page, gate } = await atGate(t);
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  const limit = page.getByText(en.afterAttempts);
  for (const isShown of [false, false, true, true]) {
    await submit(page, "/login", { ...OWNER, password: "wrong" });
    assert.equal(await limit.isVisible(), isShown);
  }
  // The name is kept as it was typed, also one that begins with a digit.
  await submit(page, "/login", { username: "2nd owner", password: "wrong" });
  assert.equal(await username(page), "2nd owner");
  await page.goto(`${gate.url}/login`);
  await submit(page, "/login", WRONG);
  assert.equal(await limit.isVisible(), false);
});

test("without the script, always explains the limit after a failed attempt", async (t) => {
  const { page, gate } = await atGate(t, { scripts: "off" });
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await submit(page, "/login", WRONG);
  assert.equal(await page.getByText(en.afterAttempts).isVisible(), true);
});

test("marks no field as wrong, and describes both by the one problem", async (t) => {
  const { page, gate } = await atGate(t);
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await submit(page, "/login", WRONG);
  for (const name of ["username", "password"]) {
    const input = field(page, name);
    assert.equal(await input.getAttribute("aria-invalid"), null, name);
    assert.equal(await input.getAttribute("aria-describedby"), "problem", name);
  }
});
