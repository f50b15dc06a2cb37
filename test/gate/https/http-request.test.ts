import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import {
  explainNetworkError,
  type HttpRequest,
  sendRequest,
} from "../../../src/gate/https/http-request.ts";
import { listenOn } from "../../support/listen.ts";

const LIMITS: HttpRequest = { timeoutMs: 5_000, maxBytes: 100 };

/** Writes the same bytes on each connection once it is used, then runs the test's action on it. */
async function startSending(
  t: TestContext,
  words: string,
  act: (socket: Socket) => unknown = () => {},
): Promise<URL> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.write(words, () => act(socket)));
  });
  return new URL(`http://127.0.0.1:${await listenOn(t, server)}/`);
}

/** Why the request fails, in words. */
const failure = (url: URL, sent: Partial<HttpRequest> = {}): Promise<string> =>
  sendRequest(url, { ...LIMITS, ...sent }).then(() => "it does not fail", explainNetworkError);

test("accepts a response that ends with the connection", async (t) => {
  const url = await startSending(t, "HTTP/1.1 201 OK\r\nX: y\r\n\r\nä", (socket) => socket.end());
  const { status, headers, body } = await sendRequest(url, LIMITS);
  assert.deepEqual([status, headers.x, body], [201, "y", "ä"]);
});

test("follows no redirect", async (t) => {
  const lines = ["HTTP/1.1 302 Found", "Location: /other", "Content-Length: 0", "", ""];
  const { status, headers } = await sendRequest(await startSending(t, lines.join("\r\n")), LIMITS);
  assert.deepEqual([status, headers.location], [302, "/other"]);
});

test("reads a response without end only up to its limit", async (t) => {
  const url = await startSending(t, "HTTP/1.1 200 OK\r\n\r\n", (socket) => {
    const sendMore = (): void => {
      while (!socket.destroyed && socket.write("x".repeat(16_384)));
      socket.once("drain", sendMore);
    };
    sendMore();
  });
  const { body } = await sendRequest(url, LIMITS);
  assert.ok(body.length > 100 && body.length < 1_000_000, `${body.length} bytes`);
});

for (const [what, words] of [
  ["never answers", ""],
  ["stops in the middle of its response", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"],
] as const) {
  test(`times out on a server that ${what}`, async (t) => {
    const url = await startSending(t, words);
    assert.equal(await failure(url, { timeoutMs: 50 }), "no response within 0.05 seconds");
  });

  test(`a stop ends the request to a server that ${what}`, async (t) => {
    const stopping = new AbortController();
    const url = await startSending(t, words, () => stopping.abort());
    const sent = sendRequest(url, { ...LIMITS, stop: stopping.signal });
    await assert.rejects(sent, { name: "AbortError" });
  });
}

test("says why there is no response", async (t) => {
  const url = await startSending(t, "", (socket) => socket.destroy());
  assert.match(await failure(url), /^the connection was closed without a response$/);
  const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
  const none = "the connection was closed without an HTTP response";
  assert.equal(await failure(await startSending(t, switching)), none);
  assert.match(await failure(await startSending(t, "SSH-2.0-OpenSSH_9.6\r\n")), /^Parse Error: /);
  assert.equal(await failure(new URL("http://127.0.0.1:1")), "connection refused");
  const half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na";
  const breaking = await startSending(t, half, (socket) => socket.destroy());
  assert.notEqual(await failure(breaking), "it does not fail");
  const unknown = await failure(new URL("http://gate.invalid"));
  assert.match(unknown, /^unknown host name$|^the name server/);
});
