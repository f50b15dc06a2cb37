import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { stateNamed } from "./states.ts";

declare function getComputedStyle(element: object): Readonly<Record<string, string>>;

const styleOf = (locator: Locator, property: string): Promise<string> =>
  locator.evaluate((element, name) => String(getComputedStyle(element)[name]), property);

test("fields, buttons and a problem of the page have borders with forced colours", async (t) => {
  const page = await stateNamed("empty setup rejected").open(t, { colours: "forced" });
  const controls = await page.locator("input:visible:not([type=checkbox]), button:visible").all();
  assert.ok(controls.length >= 3);
  for (const control of controls) {
    assert.equal(await styleOf(control, "borderTopStyle"), "solid");
    assert.notEqual(await styleOf(control, "borderTopWidth"), "0px");
  }
  const failed = await stateNamed("failed sign-in").open(t, { colours: "forced" });
  assert.equal(await styleOf(failed.getByRole("alert"), "borderLeftStyle"), "solid");
});

test("the main button differs from a quiet one with forced colours", async (t) => {
  const page = await stateNamed("sign-in, signed in").open(t, { colours: "forced" });
  const main = await styleOf(page.locator("a.button"), "backgroundColor");
  const quiet = await styleOf(page.locator("button.quiet").first(), "backgroundColor");
  assert.notEqual(main, quiet);
});
