import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertAccessible } from "../support/browser-axe.ts";
import { atHome, sendButton, unfold } from "./forms.ts";
import { stateNamed } from "./states.ts";

declare function getComputedStyle(element: object): Readonly<Record<string, string>>;

/** The computed style; a colour as `rgb(…)` or `rgba(…)`. */
const styleOf = (locator: Locator, property: string): Promise<string> =>
  locator.evaluate((element, name) => String(getComputedStyle(element)[name]), property);

type Color = readonly [red: number, green: number, blue: number];

/** The result of painting a colour, transparent or not, over another one. */
function over(front: string, back: Color): Color {
  const numbers = [...front.matchAll(/[\d.]+/g)].map(([number]) => Number(number));
  // Chromium writes mixed colours as `color(srgb …)`, with channels from 0 to 1.
  const scale = front.startsWith("color(") ? 255 : 1;
  const [red = 0, green = 0, blue = 0] = numbers.map((channel) => channel * scale);
  const [, , , share = 1] = numbers;
  const mixed = (one: number, other: number): number => one * share + other * (1 - share);
  return [mixed(red, back[0]), mixed(green, back[1]), mixed(blue, back[2])];
}

const WHITE: Color = [255, 255, 255];

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of WCAG, from 1 to 21. */
function contrast(front: string, back: string): number {
  const ground = over(back, WHITE);
  const [dark = 0, light = 0] = [over(front, ground), ground].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

async function assertLegible(page: Page, action: string): Promise<void> {
  await assertAccessible(page, ["color-contrast"]);
  const button = sendButton(page, action);
  assert.ok((await contrastOf(button)) >= 4.5);
  await button.hover();
  assert.ok((await contrastOf(button)) >= 4.5, "hovered");
}

async function contrastOf(button: Locator): Promise<number> {
  const filter = await styleOf(button, "filter");
  const brightness = Number(/brightness\((.*)\)/.exec(filter)?.[1] ?? 1);
  const seen = async (property: string): Promise<string> => {
    const color = over(await styleOf(button, property), WHITE);
    return `rgb(${color.map((channel) => Math.min(channel * brightness, 255)).join(" ")})`;
  };
  return contrast(await seen("color"), await seen("backgroundColor"));
}

for (const accentColor of ["#ffff00", "#000000", "#777777"]) {
  test(`has enough contrast with the accent colour ${accentColor}, light and dark`, async (t) => {
    const { page, gate } = await atHome(t, {}, { accentColor });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${gate.url}/`);
      await unfold(page);
      await assertLegible(page, "/account/password");
      await page.goto(`${gate.url}/login?error=1`);
      await assertLegible(page, "/login");
    }
  });
}

for (const scheme of ["light", "dark"] as const) {
  for (const name of ["empty setup rejected", "sign-in", "home"]) {
    test(`every field and button has a border with forced colours, ${scheme}: ${name}`, async (t) => {
      const page = await stateNamed(name).open(t, { scheme, colours: "forced" });
      const controls = await page
        .locator("input:visible:not([type=checkbox]), button:visible")
        .all();
      assert.ok(controls.length >= 3);
      const ground = await styleOf(page.locator("main"), "backgroundColor");
      for (const control of controls) {
        assert.equal(await styleOf(control, "borderTopStyle"), "solid");
        assert.notEqual(await styleOf(control, "borderTopWidth"), "0px");
        const border = await styleOf(control, "borderTopColor");
        assert.ok(contrast(border, ground) >= 3, `${border} on ${ground}`);
      }
    });
  }
}

test("a field's problem is marked with forced colours", async (t) => {
  const page = await stateNamed("empty setup rejected").open(t, { colours: "forced" });
  const alert = page.getByRole("alert");
  assert.equal(await styleOf(alert, "borderLeftStyle"), "solid");
  assert.notEqual(await styleOf(alert, "borderLeftColor"), await styleOf(alert, "backgroundColor"));
});

test("has no motion if the user prefers reduced motion", async (t) => {
  const { page, gate } = await atHome(t, { motion: "reduced" });
  await page.goto(`${gate.url}/login?error=1`);
  for (const element of await page.locator("body *").all()) {
    assert.equal(await styleOf(element, "animationName"), "none");
    assert.match(await styleOf(element, "transitionDuration"), /^0s(, 0s)*$/);
  }
});
