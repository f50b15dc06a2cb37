import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { OWNER } from "../support/gate.ts";
import { alert, atGate, atHome, field, focused, heading, leave, pathOf, submit } from "./forms.ts";

const WRONG = { ...OWNER, password: "wrong" } as const;

const username = (page: Page): Promise<string> => field(page, "username").inputValue();

declare const sessionStorage: { readonly length: number };
const stored = (page: Page): Promise<number> => page.evaluate(() => sessionStorage.length);

test("keeps the username and asks for the password, without storing the username any longer", async (t) => {
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
  assert.equal(pathOf(page), "/");
  assert.equal(await stored(page), 0);
});

test("shows no username from before on a sign-in page without an error, or that is opened again", async (t) => {
  const { page, gate } = await atGate(t);
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await submit(page, "/login", WRONG);
  for (const path of ["/login", "/login?error=1"]) {
    await page.goto(`${gate.url}${path}`);
    assert.deepEqual([await username(page), await focused(page)], ["", "username"], path);
  }
});

test("without scripts, a failed sign-in starts with the empty username", async (t) => {
  const { page, gate } = await atGate(t, { scripts: "off" });
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await submit(page, "/login", WRONG);
  assert.deepEqual([await username(page), await focused(page)], ["", "username"]);
});

for (const scripts of ["on", "off"] as const) {
  test(`the sign-in page lets a signed-in user continue, sign out or use another account, scripts ${scripts}`, async (t) => {
    const { page, gate } = await atHome(t, { scripts });
    await page.goto(`${gate.url}/login`);
    assert.equal(await heading(page).innerText(), "Welcome back");
    assert.equal(await field(page, "username").isVisible(), false);
    await leave(page, () => page.getByRole("link", { name: "Continue" }).click());
    assert.equal(pathOf(page), "/");

    await page.goto(`${gate.url}/login`);
    await submit(page, "/login", WRONG);
    assert.equal(pathOf(page), "/login?error=1");
    await submit(page, "/login", OWNER);
    assert.equal(pathOf(page), "/");

    await page.goto(`${gate.url}/login`);
    await submit(page, "/logout");
    assert.equal(await heading(page).innerText(), "Sign in to Latchkey");
  });
}
