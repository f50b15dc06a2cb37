import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accentFrom, isColor } from "../../../src/web/pages/accent-color.ts";
import { pageFiles } from "../../../src/web/pages/templates.ts";
import { startGate } from "../../support/gate.ts";
import { addressIn } from "../../support/markup.ts";
import { folderWith } from "../../support/pages.ts";

const LEAST_CONTRAST = 4.5;
const CARDS = { light: "#ffffff", dark: "#212326" } as const;
const SCHEMES = ["light", "dark"] as const;

type Scheme = (typeof SCHEMES)[number];

const channels = (color: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** Relative luminance, as WCAG 2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (brighter + 0.05) / (darker + 0.05);
}

const byte = fc.integer({ min: 0, max: 255 });
const anyColor = fc
  .tuple(byte, byte, byte)
  .map((all) => `#${all.map((one) => one.toString(16).padStart(2, "0")).join("")}`);

/** Of the style sheet: what the name stands for, in the light theme and in the dark one. */
function definedIn(css: string, name: string): readonly (string | undefined)[] {
  return [...css.matchAll(new RegExp(`--${name}:\\s*(#[\\da-f]+)`, "g"))].map(([, color = ""]) =>
    color.length === 4 ? color.replace(/[\da-f]/g, "$&$&") : color,
  );
}

const STYLE_SHEET = pageFiles(undefined).read("latchkey.css").text;

test("the contrast is measured as WCAG does", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
});

for (const scheme of SCHEMES) {
  test(`whichever colour is given, its ${scheme} shade can be read on the card`, () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const shade = accentFrom(color)[scheme];
        assert.match(shade, /^#[\da-f]{6}$/);
        assert.ok(contrast(shade, CARDS[scheme]) >= LEAST_CONTRAST, `${color}: ${shade}`);
      }),
      { numRuns: 1_000 },
    );
  });

  test(`a colour that can be read on the ${scheme} card stays as it is`, () => {
    const readable = anyColor.filter((color) => contrast(color, CARDS[scheme]) >= LEAST_CONTRAST);
    fc.assert(
      fc.property(readable, (color) => {
        assert.equal(accentFrom(color)[scheme], color);
      }),
      { numRuns: 1_000 },
    );
  });
}

/** `#767676` on white and `#898989` on the dark card are the last greys that can be read. */
const asTheyAre: readonly (readonly [Scheme, string])[] = [
  ["light", "#767676"],
  ["light", "#000000"],
  ["dark", "#898989"],
  ["dark", "#ffffff"],
  // By the linear part of the definition, for channels that are nearly dark, and by nothing else.
  ["light", "#0072f0"],
];

for (const [scheme, color] of asTheyAre) {
  test(`${color} can be read on the ${scheme} card and stays as it is`, () => {
    assert.ok(contrast(color, CARDS[scheme]) >= LEAST_CONTRAST);
    assert.equal(accentFrom(color)[scheme], color);
  });
}

test("a colour that cannot quite be read on the dark card is made lighter", () => {
  assert.ok(contrast("#0089fd", CARDS.dark) < LEAST_CONTRAST);
  assert.equal(accentFrom("#0089fd").dark, "#038afd");
});

test("a colour that has to change changes no more than it must", () => {
  const pale = anyColor.filter((color) => contrast(color, CARDS.light) < LEAST_CONTRAST);
  fc.assert(
    fc.property(pale, (color) => {
      // One step is a hundredth of the way to black, and channels are whole numbers.
      assert.ok(contrast(accentFrom(color).light, CARDS.light) < LEAST_CONTRAST + 0.4, color);
    }),
    { numRuns: 1_000 },
  );
});

test("three digits are short for six, and case does not matter", () => {
  assert.deepEqual(accentFrom("#15b"), accentFrom("#1155bb"));
  assert.deepEqual(accentFrom("#15B"), accentFrom("#1155bb"));
  assert.deepEqual(accentFrom("#1A5FB4"), accentFrom("#1a5fb4"));
});

test("a colour has three or six hexadecimal digits behind a number sign", () => {
  for (const color of ["#abc", "#ABC", "#012345", "#aBcDeF"]) assert.ok(isColor(color), color);
  for (const text of [
    ...["", "#", "abc", "#ab", "#abcd", "#abcde", "#abcdefa", "#ggg", "red", "rgb(0,0,0)"],
    ...["#abc ", " #abc", "#abc\n", "#abc;}", "##abc", "#abcdef#abcdef"],
  ]) {
    assert.ok(!isColor(text), JSON.stringify(text));
  }
});

test("the cards of the style sheet are those that the colour is measured against", () => {
  assert.deepEqual(definedIn(STYLE_SHEET, "card"), [CARDS.light, CARDS.dark]);
});

test("the style sheet's own accent is what the gate would make of it", () => {
  const [light = "", dark] = definedIn(STYLE_SHEET, "accent");
  assert.deepEqual(accentFrom(light), { light, dark });
});

test("a colour of one's own is in the style sheet, whose address changes with it", async (t) => {
  const sheetOf = async (accentColor?: string) => {
    const gate = await startGate(t, { accentColor });
    const url = addressIn((await gate.send("/login")).body, "stylesheet");
    return { url, css: (await gate.send(url)).body };
  };
  const [plain, red, blue] = [await sheetOf(), await sheetOf("#c00"), await sheetOf("#00c")];
  assert.equal(new Set([plain.url, red.url, blue.url]).size, 3);
  const { light, dark } = accentFrom("#c00");
  assert.ok(red.css.startsWith(plain.css), "the rest is as it was");
  assert.deepEqual(definedIn(red.css, "accent").slice(-2), [light, dark]);
  assert.match(
    red.css,
    /@media \(prefers-color-scheme: ?dark\) ?\{ ?:root ?\{ ?--accent: ?#[\da-f]{6}/,
  );
});

test("a colour of one's own goes for a replaced style sheet, too, and for the key", async (t) => {
  const pagesDir = await folderWith(t, { "latchkey.css": "a { color: var(--accent) }" });
  const gate = await startGate(t, { pagesDir, accentColor: "#c00" });
  const { light, dark } = accentFrom("#c00");
  const css = (await gate.send("/latchkey.css")).body;
  assert.ok(css.startsWith("a { color: var(--accent) }"));
  const key = (await gate.send("/latchkey-logo")).body;
  for (const color of [light, dark]) assert.ok(css.includes(color) && key.includes(color), color);
});
