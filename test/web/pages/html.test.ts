import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { type Locale, locales, wordsIn } from "../../../src/web/pages/words.ts";
import { startGate } from "../../support/gate.ts";
import { addressIn, assertNothingInline, elements } from "../../support/markup.ts";
import { states } from "./page-states.ts";

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  // Browsers ignore the case of the doctype, and formatters write it in lower case.
  rules: { "doctype-style": "off" },
});

const MAX_BYTES = 18 * 1024;
/** The language that has the most bytes to say the same. */
const [longest = "en"] = locales.toSorted((one, other) => bytesOfWords(other) - bytesOfWords(one));

function bytesOfWords(locale: Locale): number {
  return Buffer.byteLength(JSON.stringify(wordsIn(locale)));
}

/** A page with its style sheet, which is larger with an accent color. */
async function bytesWithStyles(t: TestContext, body: string): Promise<number> {
  const gate = await startGate(t, { accentColor: "#c00" });
  const sheet = (await gate.send(addressIn(body, "stylesheet"))).body;
  assert.ok(sheet.length > 500, "found");
  return Buffer.byteLength(body) + Buffer.byteLength(sheet);
}

for (const [name, open] of Object.entries(states)) {
  test(`${name}: valid HTML with labels and targets, nothing inline, under 18 KiB with its style sheet`, async (t) => {
    const { body } = await open(t, longest);
    const bytes = await bytesWithStyles(t, body);
    assert.ok(bytes < MAX_BYTES, `${longest}: ${bytes} bytes`);
    const { results } = await validator.validateString(body);
    const problems = results.flatMap(({ messages }) => messages);
    assert.deepEqual(problems, []);
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
