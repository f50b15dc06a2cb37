import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { ask } from "../../src/doctor/site.ts";

/** Sends the same bytes on each connection, then runs the test's action on it. */
async function startSending(
  t: TestContext,
  words: string,
  act: (socket: Socket) => void = () => {},
): Promise<URL> {
  const server = createServer((socket) => {
    t.after(() => socket.destroy());
    socket.on("error", () => {}).once("data", () => socket.write(words, () => act(socket)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

test("a protocol switch does not count as a response", async (t) => {
  const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: x", "", "x"];
  const asked = await ask(await startSending(t, lines.join("\r\n")), {}, Date.now);
  assert.deepEqual(asked, {
    kind: "none",
    code: undefined,
    reason: "the connection was closed without an HTTP response",
  });
});

test("accepts a response that ends with the connection", async (t) => {
  const url = await startSending(t, "HTTP/1.1 200 OK\r\n\r\nok", (socket) => socket.end());
  const asked = await ask(url, {}, () => 7);
  assert.ok(asked.kind === "response");
  assert.deepEqual([asked.status, asked.body, asked.receivedAt], [200, "ok", 7]);
});
