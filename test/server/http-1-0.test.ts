import assert from "node:assert/strict";
import { test } from "node:test";
import { startGate } from "../support/gate.ts";
import { sendRaw } from "../support/raw.ts";

test("a load balancer that speaks HTTP/1.0 and names no host hears how things are", async (t) => {
  const gate = await startGate(t);
  for (const [path, text] of [
    ["/healthz", "alive"],
    ["/readyz", "ready"],
  ] as const) {
    const answer = await sendRaw(gate.url, `GET ${path} HTTP/1.0\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.ok(answer.endsWith(`\r\n\r\n${text}`));
  }
});
