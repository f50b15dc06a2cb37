import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, startGate } from "../../support/gate.ts";
import { sendRaw } from "../../support/raw.ts";

const MAX_BYTES = 65_536;
const COMPLETE = "username=owner&password=correct+horse&confirm=correct+horse";

const padTo = (bytes: number): string => `${COMPLETE}&a=${"x".repeat(bytes - COMPLETE.length - 3)}`;

const CHUNK = 10_000;

function encodeChunks(body: string): string {
  const count = Math.ceil(body.length / CHUNK);
  const chunks = Array.from({ length: count }, (_, i) => body.slice(i * CHUNK, (i + 1) * CHUNK));
  return [...chunks, ""].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
}

function post(body: string, ...headers: readonly string[]): string {
  const all = [
    "POST /setup HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/x-www-form-urlencoded",
    ...headers,
  ];
  return `${all.join("\r\n")}\r\n\r\n${body}`;
}

const ways: Readonly<Record<string, (body: string) => string>> = {
  "with its length": (body) => post(body, `Content-Length: ${body.length}`, "Connection: close"),
  "in chunks": (body) =>
    post(encodeChunks(body), "Transfer-Encoding: chunked", "Connection: close"),
};

const statusOf = (response: string): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? Number.NaN);

const hasNoAccount = async (gate: RunningGate): Promise<boolean> =>
  (await gate.send("/setup")).status === 200;

for (const [how, request] of Object.entries(ways)) {
  test(`reads a body of exactly 65,536 bytes, sent ${how}`, async (t) => {
    const gate = await startGate(t);
    const body = padTo(MAX_BYTES);
    assert.equal(Buffer.byteLength(body), MAX_BYTES);
    assert.equal(statusOf(await sendRaw(gate.url, request(body))), 303);
  });

  for (const bytes of [MAX_BYTES + 1, 5 * MAX_BYTES]) {
    test(`refuses a body of ${bytes} bytes, sent ${how}, and creates no account`, async (t) => {
      const gate = await startGate(t);
      const response = await sendRaw(gate.url, request(padTo(bytes)));
      assert.equal(statusOf(response), 413);
      assert.match(response, /the form is too large \(at most 65536 bytes\)/);
      assert.ok(await hasNoAccount(gate));
    });
  }
}

/** Two requests on one connection: the second is not parsed as part of the refused body. */
test("closes the connection or answers the next request after a body that is too large", async (t) => {
  const gate = await startGate(t);
  const large = padTo(MAX_BYTES + 1);
  const next = "GET /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const both = post(large, `Content-Length: ${large.length}`) + next;
  const statuses = (await sendRaw(gate.url, both)).match(/^HTTP\/1\.1 \d{3}/gm) ?? [];
  assert.equal(statuses[0], "HTTP/1.1 413");
  assert.ok(statuses.length === 1 || statuses[1] === "HTTP/1.1 200", statuses.join());
});

const refusedByHttp: Readonly<Record<string, readonly string[]>> = {
  "a length that is not a number": ["Content-Length: x"],
  "a negative length": ["Content-Length: -1"],
  "two different lengths": ["Content-Length: 5", "Content-Length: 6"],
  "a length and chunks": [`Content-Length: ${COMPLETE.length}`, "Transfer-Encoding: chunked"],
};

for (const [what, headers] of Object.entries(refusedByHttp)) {
  test(`returns 400 to a request with ${what}`, async (t) => {
    const gate = await startGate(t);
    const response = await sendRaw(gate.url, post(COMPLETE, ...headers));
    assert.equal(statusOf(response), 400);
    assert.ok(await hasNoAccount(gate));
  });
}

test("ignores data after the declared length of the form", async (t) => {
  const gate = await startGate(t);
  const cut = "username=owner&password=x&confirm=";
  const response = await sendRaw(gate.url, post(`${cut}x`, `Content-Length: ${cut.length}`));
  assert.ok([400, 422].includes(statusOf(response)), response);
  assert.ok(await hasNoAccount(gate));
});
