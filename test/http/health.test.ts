import assert from "node:assert/strict";
import { test } from "node:test";
import { execute } from "../support/database.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { sendRaw } from "../support/raw.ts";

const HEALTHY = [
  ["/healthz", "alive"],
  ["/readyz", "ready"],
] as const;

test("reports liveness and readiness, also before the first account", async (t) => {
  const gate = await startGate(t);
  for (const [path, text] of HEALTHY) {
    const { status, body, headers } = await gate.send(path);
    assert.deepEqual([status, body], [200, text]);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal((await gate.send(path, { method: "POST" })).headers.allow, "GET, HEAD");
    const answer = await sendRaw(gate.url, `GET ${path} HTTP/1.0\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/, "without a Host header");
    assert.ok(answer.endsWith(`\r\n\r\n${text}`));
  }
});

test("is alive but not ready while the store fails, and ready again afterwards", async (t) => {
  const { gate } = await startConfigured(t);
  execute(gate.databaseFile, "ALTER TABLE latchkey_users RENAME TO hidden");
  const { status, headers, body } = await gate.send("/readyz");
  assert.deepEqual([status, body], [503, "the store does not answer"]);
  assert.equal((await gate.send("/healthz")).status, 200);
  const line = gate.serverLog.find(({ msg }) => String(msg).startsWith("not ready"));
  assert.equal(line?.reason, "no such table: latchkey_users");
  assert.equal(line?.requestId, headers["x-request-id"]);
  execute(gate.databaseFile, "ALTER TABLE hidden RENAME TO latchkey_users");
  assert.equal((await gate.send("/readyz")).status, 200);
});
