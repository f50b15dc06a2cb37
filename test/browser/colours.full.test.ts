import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { readPicture } from "./picture.ts";
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

test("the focus ring of the main button has a colour of the user with forced colours", async (t) => {
  const page = await stateNamed("sign-in").open(t, { colours: "forced" });
  const button = page.locator("main [type=submit]");
  await button.focus();
  assert.equal(await styleOf(button, "outlineStyle"), "solid");
  const ring = await styleOf(button, "outlineColor");
  await page.emulateMedia({ forcedColors: "none" });
  assert.notEqual(ring, await styleOf(button, "outlineColor"));
});

test("a QR code is black on white with forced colours in a dark scheme", async (t) => {
  const visiting = { colours: "forced", scheme: "dark" } as const;
  const page = await stateNamed("codes begun").open(t, visiting);
  assert.equal(await styleOf(page.locator("body"), "backgroundColor"), "rgb(0, 0, 0)");
  const { data, width, height } = await readPicture(page.locator(".qr"));
  const pixelAt = (x: number, y: number) => {
    const at = 4 * (Math.floor(y) * width + Math.floor(x));
    return data.slice(at, at + 3);
  };
  assert.deepEqual(pixelAt(width / 20, height / 2), [255, 255, 255], "the margin");
  const row = Array.from({ length: width }, (_, x) => pixelAt(x, height / 2).join());
  assert.ok(row.includes("0,0,0"));
});

test("the bar of today differs from the others with forced colours", async (t) => {
  const page = await stateNamed("an app").open(t, { colours: "forced" });
  const fills = await Promise.all(
    (await page.locator(".bars rect").all()).map((bar) => styleOf(bar, "fill")),
  );
  const canvas = await styleOf(page.locator("body"), "backgroundColor");
  assert.deepEqual(new Set(fills.slice(0, -1)), new Set([canvas]));
  assert.notEqual(fills.at(-1), canvas);
  assert.notEqual(await styleOf(page.locator(".bars"), "stroke"), canvas);
});

test("each of several wrong fields has a thicker border with forced colours", async (t) => {
  const page = await stateNamed("empty setup rejected").open(t, { colours: "forced" });
  const [wrong, right] = ["[aria-invalid]", "input[type=text]:not([aria-invalid])"];
  assert.ok((await page.locator(wrong).count()) > 1);
  for (const field of await page.locator(wrong).all())
    assert.equal(await styleOf(field, "borderTopWidth"), "3px");
  assert.equal(await styleOf(page.locator(right).first(), "borderTopWidth"), "1px");
});
