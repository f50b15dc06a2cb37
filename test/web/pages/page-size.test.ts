import assert from "node:assert/strict";
import { test } from "node:test";
import { locales } from "../../../src/web/pages/words.ts";
import type { Answer } from "../../support/client.ts";
import { startGate } from "../../support/gate.ts";
import { addressIn, elements } from "../../support/markup.ts";
import { states } from "./page-states.ts";

const MAX_BYTES = 12 * 1024;

const bytesOf = ({ body }: Answer): number => Buffer.byteLength(body);

for (const [name, open] of Object.entries(states)) {
  test(`${name}: page, style sheet and script together are smaller than 12 KiB in every language`, async (t) => {
    const gate = await startGate(t, { accentColor: "#c00" });
    for (const locale of locales) {
      const page = await open(t, locale);
      const [{ src = "" } = {}] = elements(page.body, "script");
      const alongside = [addressIn(page.body, "stylesheet"), src].map((url) => gate.send(url));
      const sizes = [page, ...(await Promise.all(alongside))].map(bytesOf);
      assert.ok(
        sizes.every((size) => size > 500),
        `all files were found: ${sizes}`,
      );
      const total = sizes.reduce((sum, size) => sum + size);
      assert.ok(total < MAX_BYTES, `${locale}: ${total} bytes`);
    }
  });
}
