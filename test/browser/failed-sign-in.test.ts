import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { OWNER } from "../support/gate.ts";
import { alert, atGate, field, focused, leave, pathOf, submit } from "./forms.ts";

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
  assert.match(await alert(page).innerText(), /username and password.* five attempts.* minute/);

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
