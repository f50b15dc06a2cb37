import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** A small phone. */
export const PHONE = { width: 320, height: 640 };

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

/** Asserts that nothing leaves a small phone sideways with large text, in these directions. */
export async function assertFits(page: Page, directions = ["ltr", "rtl"]): Promise<void> {
  await page.setViewportSize(PHONE);
  for (const dir of directions) {
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

/** Asserts that the title of the page, and each page in the navigation, is on one line. */
export async function assertOneLine(page: Page): Promise<void> {
  const wrapped = await page.evaluate(() =>
    [...document.querySelectorAll("h1, .bar nav a, .side a")]
      .filter((element) => {
        const text = document.createRange();
        text.selectNodeContents(element);
        return new Set([...text.getClientRects()].map(({ top }) => top)).size > 1;
      })
      .map(({ outerHTML }) => outerHTML),
  );
  assert.deepEqual(wrapped, []);
}
