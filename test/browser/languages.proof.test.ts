import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { unfold } from "./forms.ts";
import { assertFits, PHONE } from "./layout.ts";
import { states } from "./states.ts";

/** Those with the longest words, with other scripts, or from right to left. */
const LANGUAGES = ["de", "fi", "pl", "ru", "uk", "tr", "ar", "ja"] as const;

for (const { name, open } of states) {
  test(`fits on a phone with large text in the longest languages: ${name}`, async (t) => {
    for (const language of LANGUAGES) {
      const page = await open(t, { language, size: PHONE });
      await unfold(page);
      await assertFits(page, [getWords(language).direction]);
    }
  });
}
