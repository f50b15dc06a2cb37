import assert from "node:assert/strict";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const ALL: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: { "target-size": { enabled: true } },
};

/**
 * Fails if axe finds a violation in the current page, or cannot decide. Injects the source by
 * `evaluate`, since the content security policy blocks script elements.
 */
export async function assertAccessible(page: Page, only?: readonly string[]): Promise<void> {
  const options = only === undefined ? ALL : { runOnly: [...only] };
  await page.evaluate(axe.source);
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
