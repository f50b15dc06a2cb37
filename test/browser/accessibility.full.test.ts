import { test } from "node:test";
import { assertAccessible, COLOUR_RULES } from "../support/browser-axe.ts";
import { assertFits } from "./fits.ts";
import { states } from "./states.ts";

for (const { name, open } of states) {
  test(`is accessible, light and dark, and fits on a phone, with large text and from right to left: ${name}`, async (t) => {
    const page = await open(t, {});
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await assertAccessible(page, COLOUR_RULES);
    await assertFits(page);
  });
}
