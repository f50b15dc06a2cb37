import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { atGate, atHome, carry, submit, submitUnchecked } from "./forms.ts";
import { layoutFaults } from "./layout-faults.ts";
import { states } from "./states.ts";

const PHONE = { width: 320, height: 640 };
const DESK = { width: 1280, height: 800 };
const LONG = "W".repeat(300);

declare const document: {
  readonly documentElement: { dir: string; readonly style: { fontSize: string } };
};

interface Look {
  readonly fontSize: "100%" | "200%";
  readonly dir: "ltr" | "rtl";
}

const apply = (page: Page, look: Look): Promise<void> =>
  page.evaluate(({ fontSize, dir }) => {
    document.documentElement.style.fontSize = fontSize;
    document.documentElement.dir = dir;
  }, look);

/** Checks a phone and a desktop window, both text sizes and both writing directions. */
async function assertFits(page: Page): Promise<void> {
  const found: Record<string, readonly string[]> = {};
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size);
    for (const fontSize of ["100%", "200%"] as const) {
      for (const dir of ["ltr", "rtl"] as const) {
        await apply(page, { fontSize, dir });
        const faults = await layoutFaults(page);
        if (faults.length > 0) found[`${size.width} px, ${fontSize}, ${dir}`] = faults;
      }
    }
  }
  assert.deepEqual(found, {});
}

for (const { name, open } of states) {
  test(`fits on a phone, with large text and from right to left: ${name}`, async (t) => {
    await assertFits(await open(t, {}));
  });
}

test("fits a username of 300 letters without a space", async (t) => {
  const at = await atGate(t, { statuses: [422] });
  const { page, gate } = at;
  await page.goto(`${gate.url}/setup`);
  await submitUnchecked(page, "/setup", { username: LONG, password: "a", confirm: "b" });
  await assertFits(page);
  await carry(at, await gate.setUp({ username: LONG }));
  await page.goto(`${gate.url}/`);
  assert.match(await page.locator("main").innerText(), new RegExp(`Signed in as ${LONG}`));
  await assertFits(page);
});

for (const locale of ["de", "fr", "es"] as const) {
  test(`fits the longer texts of ${locale}`, async (t) => {
    const { page, gate } = await atHome(t, { statuses: [422] }, { locale });
    await submitUnchecked(page, "/account/password", {});
    await assertFits(page);
    await page.goto(`${gate.url}/login?error=1`);
    await assertFits(page);
  });
}

test("fits an application name of 60 letters without a space", async (t) => {
  const { page } = await atHome(t, {}, { appName: "W".repeat(60) });
  await assertFits(page);
  await submit(page, "/logout");
  await assertFits(page);
});
