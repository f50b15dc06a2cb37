import assert from "node:assert/strict";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { Handler } from "../../src/gate/create-handler.ts";
import { startGate } from "../support/gate.ts";
import { openSocket, sendRaw } from "../support/raw.ts";
import { servers } from "./http1-servers.ts";
import { handshake, startSecureGate } from "./https/secure-gate.ts";

const refused: Readonly<Record<string, readonly [request: string, status: number]>> = {
  "a malformed request": ["GET /login HTTP/1.1\r\nHost: gate\r\nbad header\r\n\r\n", 400],
  "a request without Host": ["GET /login HTTP/1.1\r\n\r\n", 400],
  "an unknown expectation": ["GET /login HTTP/1.1\r\nHost: gate\r\nExpect: magic\r\n\r\n", 417],
  "too long headers": [
    `GET /login HTTP/1.1\r\nHost: gate\r\nCookie: ${"x".repeat(70_000)}\r\n\r\n`,
    431,
  ],
};

/** Of a bare refusal: nothing in it can run, be framed or be taken for another type. */
function assertProtected(answer: string, status: number, what = ""): void {
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), what);
  assert.match(answer, /^x-content-type-options: nosniff\r$/im);
  assert.match(answer, /^content-security-policy: .*frame-ancestors 'none'.*\r$/im);
  assert.match(answer, /^connection: close\r$/im);
  assert.match(answer, /\r\n\r\n$/);
}

test("refuses what is not a request with all headers, also over TLS", async (t) => {
  const [plain, secure] = [await startGate(t), await startSecureGate(t)];
  for (const [what, [request, status]] of Object.entries(refused)) {
    assertProtected(await sendRaw(plain.url, request), status, what);
    const socket = await handshake(t, secure.port, { ALPNProtocols: ["http/1.1"] });
    socket.write(request);
    assertProtected(await text(socket), status, `${what} over TLS`);
  }
});

test("refuses a malformed second request on a connection, after the first response", async (t) => {
  const gate = await startGate(t);
  const socket = await openSocket(t, gate.url);
  socket.write("GET /healthz HTTP/1.1\r\nHost: gate\r\n\r\n");
  const [first] = await once(socket, "data");
  assert.match(String(first), /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nalive$/);
  socket.write("GET /healthz HTTP/1.1\r\nbad header\r\n\r\n");
  assertProtected(await text(socket), 400);
});

const REQUEST = "GET / HTTP/1.1\r\nHost: gate\r\n\r\n";
const MALFORMED = "GET / HTTP/1.1\r\nbad header\r\n\r\n";
const BROKEN_BODY =
  "POST / HTTP/1.1\r\nHost: gate\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n";

/** Sends the half of a response. */
function begin(outgoing: Parameters<Handler>[1]): void {
  if ("stream" in outgoing) throw new Error("not HTTP/1.1");
  outgoing.writeHead(200, { "Content-Length": "10" });
  outgoing.write("begun");
}

for (const [over, open] of Object.entries(servers)) {
  test(`closes a connection on which a response is being sent, without another one in it, over ${over}`, async (t) => {
    const socket = await open(t, (_, outgoing) => begin(outgoing));
    socket.write(REQUEST);
    const [begun] = await once(socket, "data");
    assert.match(String(begun), /^HTTP\/1\.1 200 /);
    const rest = text(socket);
    socket.write(MALFORMED);
    assert.doesNotMatch(await rest, /HTTP/);
  });

  test(`closes a connection on which a second response waits for the end of the first, over ${over}`, async (t) => {
    let handled = 0;
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const socket = await open(t, (_, outgoing) => {
      handled += 1;
      if (handled === 2) return resolve();
      begin(outgoing);
    });
    const all = text(socket);
    socket.write(REQUEST.repeat(2));
    await both;
    socket.write(MALFORMED);
    assert.equal((await all).match(/HTTP/g)?.length, 1);
  });

  test(`refuses a request whose body turns out to be malformed, over ${over}`, async (t) => {
    const socket = await open(t, () => {});
    socket.write(BROKEN_BODY);
    assertProtected(await text(socket), 400);
  });
}
