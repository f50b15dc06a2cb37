import assert from "node:assert/strict";
import { test } from "node:test";
import { HtmlValidate } from "html-validate";
import { assertNothingInline, elements } from "../../support/markup.ts";
import { states } from "./page-states.ts";

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  // Browsers ignore the case of the doctype, and formatters write it in lower case.
  rules: { "doctype-style": "off" },
});

async function findProblems(html: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ line, ruleId, message }) => `${line}: ${ruleId}: ${message}`),
  );
}

for (const [name, open] of Object.entries(states)) {
  test(`${name}: valid HTML with labels and targets, without inline scripts and styles`, async (t) => {
    const { body } = await open(t, "en");
    assert.deepEqual(await findProblems(body), []);
    assertNothingInline(body);
    const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id);
    assert.equal(new Set(ids).size, ids.length, "each ID once");
    const labelled = elements(body, "label").map((label) => label.for);
    const asked = ["input", "select"]
      .flatMap((name) => elements(body, name))
      .filter(
        ({ type, hidden, "aria-label": label }) =>
          type !== "hidden" && hidden === undefined && !label,
      );
    assert.deepEqual(labelled.map(String).sort(), asked.map(({ id }) => String(id)).sort());
    const references = [...body.matchAll(/\saria-(?:describedby|labelledby)="([^"]*)"/g)];
    for (const id of references.flatMap(([, named = ""]) => named.split(" "))) {
      assert.ok(ids.includes(id), `#${id}`);
    }
    assert.ok(elements(body, "input").filter(({ autofocus }) => autofocus === "").length <= 1);
  });
}
