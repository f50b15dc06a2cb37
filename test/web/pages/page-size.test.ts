import assert from "node:assert/strict";
import { test } from "node:test";
import { locales } from "../../../src/web/pages/words.ts";
import type { Answer } from "../../support/client.ts";
import { startGate } from "../../support/gate.ts";
import { addressIn } from "../../support/markup.ts";
import { states } from "./page-states.ts";

const MAX_BYTES = 18 * 1024;

const bytesOf = ({ body }: Answer): number => Buffer.byteLength(body);

for (const [name, open] of Object.entries(states)) {
  test(`${name}: page and style sheet together are smaller than 18 KiB in every language`, async (t) => {
    const gate = await startGate(t, { accentColor: "#c00" });
    for (const locale of locales) {
      const page = await open(t, locale);
      const sizes = [page, await gate.send(addressIn(page.body, "stylesheet"))].map(bytesOf);
      assert.ok(
        sizes.every((size) => size > 500),
        `both were found: ${sizes}`,
      );
      const total = sizes.reduce((sum, size) => sum + size);
      assert.ok(total < MAX_BYTES, `${locale}: ${total} bytes`);
    }
  });
}
