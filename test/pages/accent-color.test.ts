import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAccent, isColor } from "../../src/pages/accent-color.ts";
import { readPageFile } from "../../src/pages/page-files.ts";
import { startGate } from "../support/gate.ts";
import { addressIn } from "../support/markup.ts";

const MIN_CONTRAST = 4.5;
const CARDS = { light: "#ffffff", dark: "#212326" } as const;
const SCHEMES = ["light", "dark"] as const;

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

/** The values of a custom property in the style sheet, in the light and the dark theme. */
function readCustomProperty(css: string, name: string): readonly (string | undefined)[] {
  const declared = [...css.matchAll(new RegExp(`--${name}:[^;}]+`, "g"))].join(" ");
  return [...declared.matchAll(/#[\da-f]+/g)].map(([color]) =>
    color.length === 4 ? color.replace(/[\da-f]/g, "$&$&") : color,
  );
}

const STYLE_SHEET = readPageFile("latchkey.css");

test("measures contrast as WCAG 2 defines it", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#ffffff").toFixed(2), "4.48");
});

test("keeps the brand colour as given, with black or white on it, whichever contrasts more", () => {
  fc.assert(
    fc.property(anyColor, (color) => {
      const { brand, onBrand } = createAccent(color);
      const [black, white] = [contrast(color, "#000000"), contrast(color, "#ffffff")];
      assert.equal(brand, color);
      assert.equal(contrast(onBrand, color), Math.max(black, white));
      assert.ok(contrast(onBrand, color) >= MIN_CONTRAST, color);
    }),
    { numRuns: 1_000 },
  );
});

for (const scheme of SCHEMES) {
  test(`the ${scheme} shade of any colour has enough contrast with the card`, () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const shade = createAccent(color)[scheme];
        assert.match(shade, /^#[\da-f]{6}$/);
        assert.ok(contrast(shade, CARDS[scheme]) >= MIN_CONTRAST, `${color}: ${shade}`);
      }),
      { numRuns: 1_000 },
    );
  });

  test(`keeps a colour that has enough contrast with the ${scheme} card`, () => {
    const readable = anyColor.filter((color) => contrast(color, CARDS[scheme]) >= MIN_CONTRAST);
    fc.assert(
      fc.property(readable, (color) => {
        assert.equal(createAccent(color)[scheme], color);
      }),
      { numRuns: 1_000 },
    );
  });
}

test("changes a colour no more than necessary", () => {
  const pale = anyColor.filter((color) => contrast(color, CARDS.light) < MIN_CONTRAST);
  fc.assert(
    fc.property(pale, (color) => {
      // One step is a hundredth of the way to black, and channels are whole numbers.
      assert.ok(contrast(createAccent(color).light, CARDS.light) < MIN_CONTRAST + 0.4, color);
    }),
    { numRuns: 1_000 },
  );
});

test("accepts three digits as short for six, and ignores case", () => {
  assert.deepEqual(createAccent("#15b"), createAccent("#1155bb"));
  assert.deepEqual(createAccent("#15B"), createAccent("#1155bb"));
  assert.deepEqual(createAccent("#1A5FB4"), createAccent("#1a5fb4"));
});

test("accepts # and three or six hexadecimal digits as a colour", () => {
  for (const color of ["#abc", "#ABC", "#012345", "#aBcDeF"]) assert.ok(isColor(color), color);
  for (const text of [
    ...["", "#", "abc", "#ab", "#abcd", "#abcde", "#abcdefa", "#ggg", "red", "rgb(0,0,0)"],
    ...["#abc ", " #abc", "#abc\n", "#abc;}", "##abc", "#abcdef#abcdef"],
  ]) {
    assert.ok(!isColor(text), JSON.stringify(text));
  }
});

test("the style sheet has the card colours that the contrast is measured against", () => {
  assert.deepEqual(readCustomProperty(STYLE_SHEET, "card"), [CARDS.light, CARDS.dark]);
});

test("the line around what has the focus has 3:1 against the card and the ground", () => {
  const grounds = readCustomProperty(STYLE_SHEET, "ground");
  fc.assert(
    fc.property(anyColor, (color) => {
      for (const [at, scheme] of SCHEMES.entries()) {
        assert.ok(contrast(createAccent(color)[scheme], grounds[at] ?? "") >= 3, color);
      }
    }),
  );
  const outline = /:focus-visible {\s*outline: 2px solid var\(--accent\);\s*outline-offset: 1px;/;
  assert.match(STYLE_SHEET, outline);
});

test("the style sheet's default accent colours equal those computed from its light one", () => {
  const read = (name: string) => readCustomProperty(STYLE_SHEET, name);
  const [light, dark] = read("accent");
  const [[brand = ""], [onBrand]] = [read("brand"), read("on-brand")];
  assert.deepEqual(createAccent(brand), { brand, onBrand, light, dark });
});

test("a custom colour is in the style sheet and changes its URL", async (t) => {
  const sheetOf = async (accentColor?: string) => {
    const gate = await startGate(t, { accentColor });
    const url = addressIn((await gate.send("/login")).body, "stylesheet");
    return { url, css: (await gate.send(url)).body };
  };
  const [plain, red, blue] = [await sheetOf(), await sheetOf("#c00"), await sheetOf("#00c")];
  assert.equal(new Set([plain.url, red.url, blue.url]).size, 3);
  const { brand, onBrand, light, dark } = createAccent("#c00");
  assert.ok(red.css.startsWith(plain.css), "the rest is unchanged");
  assert.deepEqual(readCustomProperty(red.css, "accent").slice(-2), [light, dark]);
  assert.deepEqual(readCustomProperty(red.css, "brand").at(-1), brand);
  assert.deepEqual(readCustomProperty(red.css, "on-brand").at(-1), onBrand);
  const forDark = /@media \(prefers-color-scheme: ?dark\) ?\{ ?:root ?\{ ?--accent: ?#[\da-f]{6}/;
  assert.match(red.css, forDark);
});
