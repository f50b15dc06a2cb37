import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { begunIn, codeShown } from "../support/one-time-codes.ts";
import { ADD, atPasskeys, BROWSER, listed, openMethods, signOut } from "./at-passkeys.ts";
import { atHome, field, leave, tabTo } from "./forms.ts";

declare function getComputedStyle(element: object): { outlineStyle: string; outlineWidth: string };

/** The names of the elements that the Tab key reaches, in order, each with a visible focus. */
async function tabStops(page: Page): Promise<readonly string[]> {
  await page.locator("h1").click();
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const stop = page.locator(":focus:not(body)");
    if ((await stop.count()) === 0 || stops.length > 20) return stops;
    const name =
      (await stop.getAttribute("name")) ??
      (await stop.getAttribute("title")) ??
      (await stop.innerText());
    const outline = await stop.evaluate((element: object) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return `${outlineWidth} ${outlineStyle}`;
    });
    assert.match(outline, /^[2-9](\.\d+)?px solid$/, name);
    stops.push(name);
  }
}

for (const colours of ["own", "forced"] as const) {
  test(`Tab moves from top to bottom with a visible focus, colours ${colours}`, async (t) => {
    const { page, gate } = await atHome(t, { colours });
    assert.deepEqual(await tabStops(page), [
      "Turn on one-time codes",
      ...["current_password", "Show", "new_password", "Show", "confirm_password", "Show"],
      ...["end_others", "Change password"],
    ]);
    await page.context().clearCookies();
    await page.goto(`${gate.url}/login`);
    assert.deepEqual(await tabStops(page), ["username", "password", "Show", "Sign in"]);
  });
}

test("turns codes on with the keyboard alone", async (t) => {
  const { page } = await atHome(t);
  await tabTo(page, '[action="/account/codes/begin"] > button');
  await leave(page, () => page.keyboard.press("Enter"));
  const { key } = begunIn(await page.content());
  await field(page, "code").and(page.locator(":focus")).waitFor();
  await page.keyboard.type(codeShown(key));
  await leave(page, () => page.keyboard.press("Enter"));
  await tabTo(page, ".tools + .tail > a");
});

test("adds a passkey and signs in with it with the keyboard alone", async (t) => {
  const at = await atPasskeys(t);
  const { page } = at;
  await openMethods(at);
  await tabTo(page, `[action="${ADD}"] > button`);
  await leave(page, () => page.keyboard.press("Enter"));
  assert.deepEqual(await listed(page), [BROWSER]);
  await signOut(at);
  await page.locator('[name="username"]:focus').waitFor();
  await tabTo(page, '[action="/login/passkey"] button');
  await leave(page, () => page.keyboard.press("Enter"));
  assert.equal(new URL(page.url()).pathname, "/apps");
});
