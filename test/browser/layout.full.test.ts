import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { locales } from "../../src/pages/words.ts";
import { assertAccessible, COLOUR_RULES } from "../support/browser-axe.ts";
import { atGate, atHome, carry, submitUnchecked } from "./forms.ts";
import { stateNamed, states } from "./states.ts";

const PHONE = { width: 320, height: 640 };
const LONG = "W".repeat(300);

interface Box {
  readonly left: number;
  readonly right: number;
}

declare const document: {
  readonly documentElement: {
    dir: string;
    clientWidth: number;
    scrollWidth: number;
    readonly style: { fontSize: string };
  };
  createRange(): {
    selectNodeContents(element: object): void;
    getClientRects(): Iterable<{ readonly top: number }>;
  };
  querySelectorAll(selector: string): Iterable<{
    readonly outerHTML: string;
    checkVisibility(): boolean;
    closest(selector: string): object | null;
    getBoundingClientRect(): Box;
  }>;
};

/** Asserts that nothing leaves a small phone sideways with large text, in both directions. */
async function assertFits(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  for (const dir of ["ltr", "rtl"]) {
    const outside = await page.evaluate((writing) => {
      const { documentElement: root } = document;
      root.style.fontSize = "200%";
      root.dir = writing;
      if (root.scrollWidth > root.clientWidth) return ["a text"];
      return [...document.querySelectorAll("body *")]
        .filter((element) => {
          const { left, right } = element.getBoundingClientRect();
          const isOutside = element.checkVisibility() && (left < 0 || right > root.clientWidth);
          // The list of pages is a row that scrolls by itself.
          return isOutside && element.closest(".side") === null;
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 80));
    }, dir);
    assert.deepEqual(outside, [], dir);
  }
}

for (const { name, open } of states) {
  test(`is accessible and fits on a phone, with large text and mirrored: ${name}`, async (t) => {
    const page = await open(t, {});
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await assertAccessible(page, COLOUR_RULES);
    await assertFits(page);
  });
}

test("fits a username of 300 letters without a space", async (t) => {
  const at = await atGate(t, { statuses: [422] });
  const { page, gate } = at;
  await page.goto(`${gate.url}/setup`);
  await submitUnchecked(page, "/setup", { username: LONG, password: "a", confirm: "b" });
  await assertFits(page);
  await carry(at, await gate.setUp({ username: LONG }));
  for (const path of ["/account/profile", "/account/history", "/apps"]) {
    await page.goto(`${gate.url}${path}`);
    await assertFits(page);
  }
  await page.goto(`${gate.url}/account/profile`);
  assert.match(await page.locator("main").innerText(), new RegExp(LONG));
});

for (const locale of locales) {
  test(`keeps the headings and the navigation on one line on a phone: ${locale}`, async (t) => {
    for (const state of ["how one signs in, with codes", "codes begun", "devices"]) {
      const page = await stateNamed(state).open(t, { language: locale, size: PHONE });
      const wrapped = await page.evaluate(() =>
        [...document.querySelectorAll("h1, h2, .bar nav a, .side a")]
          .filter((element) => {
            const text = document.createRange();
            text.selectNodeContents(element);
            return new Set([...text.getClientRects()].map(({ top }) => top)).size > 1;
          })
          .map(({ outerHTML }) => outerHTML),
      );
      assert.deepEqual(wrapped, [], state);
    }
  });
}

for (const locale of ["de", "fr", "es"] as const) {
  test(`fits the longer texts of ${locale} and a long application name`, async (t) => {
    const settings = { locale, appName: "W".repeat(60) };
    const { page, gate } = await atHome(t, { statuses: [422] }, settings);
    await submitUnchecked(page, "/account/password", {});
    await assertFits(page);
    await page.goto(`${gate.url}/login?error=1`);
    await assertFits(page);
  });
}
