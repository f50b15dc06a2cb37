import assert from "node:assert/strict";
import { test } from "node:test";
import { startGate } from "../support/gate.ts";
import { formRequest, sendRaw } from "../support/raw.ts";

const MAX_BYTES = 65_536;
const COMPLETE = "username=owner&password=correct+horse&confirm=correct+horse";

const padTo = (bytes: number): string => `${COMPLETE}&a=${"x".repeat(bytes - COMPLETE.length - 3)}`;

const CHUNK = 10_000;

function encodeChunks(body: string): string {
  const count = Math.ceil(body.length / CHUNK);
  const chunks = Array.from({ length: count }, (_, i) => body.slice(i * CHUNK, (i + 1) * CHUNK));
  return [...chunks, ""].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
}

const post = (body: string, ...headers: readonly string[]): string =>
  formRequest("/setup", body, ...headers);

const ways: Readonly<Record<string, (body: string) => string>> = {
  "with its length": (body) => post(body, `Content-Length: ${body.length}`, "Connection: close"),
  "in chunks": (body) =>
    post(encodeChunks(body), "Transfer-Encoding: chunked", "Connection: close"),
};

const statusOf = (response: string): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? Number.NaN);

for (const [how, request] of Object.entries(ways)) {
  test(`reads a body of exactly 65,536 bytes, sent ${how}`, async (t) => {
    const gate = await startGate(t);
    const body = padTo(MAX_BYTES);
    assert.equal(Buffer.byteLength(body), MAX_BYTES);
    assert.equal(statusOf(await sendRaw(gate.url, request(body))), 303);
  });

  test(`refuses a larger body, sent ${how}, and creates no account`, async (t) => {
    const gate = await startGate(t);
    for (const bytes of [MAX_BYTES + 1, 5 * MAX_BYTES]) {
      const response = await sendRaw(gate.url, request(padTo(bytes)));
      assert.equal(statusOf(response), 413);
      assert.match(response, /The form is too large, incomplete/);
      assert.equal((await gate.send("/setup")).status, 200);
    }
  });
}

/** Two requests on one connection: the second is not parsed as part of the refused body. */
test("closes the connection or goes on after a body that is too large", async (t) => {
  const gate = await startGate(t);
  const large = padTo(MAX_BYTES + 1);
  const next = "GET /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const both = post(large, `Content-Length: ${large.length}`) + next;
  const statuses = (await sendRaw(gate.url, both)).match(/^HTTP\/1\.1 \d{3}/gm) ?? [];
  assert.equal(statuses[0], "HTTP/1.1 413");
  assert.ok(statuses.length === 1 || statuses[1] === "HTTP/1.1 200", statuses.join());
});

test("returns 400 to a request with both a length and chunks", async (t) => {
  const gate = await startGate(t);
  const both = [`Content-Length: ${COMPLETE.length}`, "Transfer-Encoding: chunked"];
  assert.equal(statusOf(await sendRaw(gate.url, post(COMPLETE, ...both))), 400);
  assert.equal((await gate.send("/setup")).status, 200);
});
