import { test } from "node:test";
import { assertAccessible } from "../support/browser-axe.ts";
import { states } from "./states.ts";

for (const { name, open } of states) {
  test(`has no accessibility violations, light and dark: ${name}`, async (t) => {
    const page = await open(t, {});
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await assertAccessible(page);
    }
  });
}
