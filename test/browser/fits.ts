import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** The smallest phone that pages fit on. */
export const PHONE = { width: 320, height: 640 } as const;

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
  querySelectorAll(selector: string): Iterable<{
    readonly outerHTML: string;
    checkVisibility(): boolean;
    getBoundingClientRect(): Box;
  }>;
};

/** Asserts that nothing leaves a small phone sideways with large text, in both directions. */
export async function assertFits(page: Page): Promise<void> {
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
          return element.checkVisibility() && (left < 0 || right > root.clientWidth);
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 80));
    }, dir);
    assert.deepEqual(outside, [], dir);
  }
}
