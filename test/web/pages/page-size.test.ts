import assert from "node:assert/strict";
import { test } from "node:test";
import { locales } from "../../../src/web/pages/words.ts";
import type { Answer } from "../../support/client.ts";
import { startGate } from "../../support/gate.ts";
import { addressIn, elements } from "../../support/markup.ts";
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

test("the sign-in page with style sheet and script stays under 14 KiB, and under 6 KiB on the wire", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const { body } = await gate.send("/login");
  const urls = [
    addressIn(body, "stylesheet"),
    ...elements(body, "script").map(({ src }) => `${src}`),
  ];
  assert.equal(urls.length, 2);
  const sent = async (url: string, accepted: string) => {
    const headers = { "Accept-Encoding": accepted };
    const answer = await fetch(`${gate.url}${url}`, { headers });
    await answer.arrayBuffer();
    return Number(answer.headers.get("content-length"));
  };
  for (const [accepted, limit] of [
    ["identity", 14],
    ["gzip", 6],
  ] as const) {
    const sizes = await Promise.all(["/login", ...urls].map((url) => sent(url, accepted)));
    const total = sizes.reduce((sum, size) => sum + size);
    assert.ok(total < limit * 1_024, `${accepted}: ${sizes}`);
  }
});
