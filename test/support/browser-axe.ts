import assert from "node:assert/strict";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The elements that pass are not listed: those of a long page are megabytes. */
const REPORTED: RunOptions = { resultTypes: ["violations", "incomplete"] };
const ALL: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: { "target-size": { enabled: true } },
};

/** The rules whose result depends on the colour scheme. */
export const COLOUR_RULES: readonly string[] = ["color-contrast", "link-in-text-block"];

/**
 * axe cannot compare a text with a gradient. The gradient of the pages ends in its strongest colour
 * at the top, where contrast is lowest, so the whole page gets that colour. A page without a gradient stays as it is.
 */
const FLATTEN = `
  if (getComputedStyle(document.body).backgroundImage !== "none") {
    document.body.style.backgroundImage = "none";
    document.body.style.backgroundColor = "color-mix(in srgb, var(--accent) 9%, var(--ground))";
  }
`;

/**
 * Fails if axe finds a violation in the current page, or cannot decide. Injects the source by
 * `evaluate`, since the content security policy blocks script elements.
 */
export async function assertAccessible(page: Page, only?: readonly string[]): Promise<void> {
  await page.evaluate(FLATTEN);
  const options = { ...REPORTED, ...(only === undefined ? ALL : { runOnly: [...only] }) };
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  assert.deepEqual(
    { wrong: results.violations.map(describe), unclear: results.incomplete.map(describe) },
    { wrong: [], unclear: [] },
  );
  assert.ok(results.passes.length > 0, "axe has run checks");
}

function describe({ id, help, nodes }: AxeResults["violations"][number]): string {
  const places = nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`);
  return `${id} (${help}): ${places.join("; ")}`;
}
