import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer, type Server } from "node:net";
import { type TestContext, test } from "node:test";
import { ask, run, times } from "../../../proof/bench/load.ts";
import { get } from "../../../proof/bench/wire.ts";

async function portOf(t: TestContext, server: Server): Promise<number> {
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  t.after(() => void server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

/** Sends the given pieces one after the other, and never closes the connection. */
function answering(t: TestContext, pieces: readonly string[]): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.once("data", () => {
      let sent = 0;
      const next = (): void => {
        const piece = pieces[sent];
        sent += 1;
        if (piece !== undefined) socket.write(piece, () => setImmediate(next));
      };
      next();
    });
  });
  return portOf(t, server);
}

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

for (const [how, pieces] of [
  ["in one piece", [`${CHUNKED}5\r\nhello\r\n0\r\n\r\n`]],
  ["chunk by chunk", [CHUNKED, "5\r\nhello\r\n", "0\r\n\r\n"]],
  [
    "cut within a chunk and its size",
    [CHUNKED, "1", "0\r\nhello 0\r\n\r\n", "12345\r\n0\r\n", "\r\n"],
  ],
  ["with a length instead", ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "lo"]],
] as const) {
  test(`waits for the end of a response ${how}`, async (t) => {
    const port = await answering(t, pieces);
    assert.equal(await ask(port, get("/")), pieces.join(""));
  });
}

test("rejects a response without a length or chunks", async (t) => {
  const port = await answering(t, ["HTTP/1.1 200 OK\r\n\r\n", "hello"]);
  await assert.rejects(ask(port, get("/")), /without a length or chunks/);
  const load = { port, connections: 1, status: 200, next: times(1, get("/")) };
  await assert.rejects(run(load), /without a length or chunks/);
});

test("stops at the first unexpected response", async (t) => {
  let answered = 0;
  const server = createServer((_request, response) => {
    answered += 1;
    response.setHeader("Location", answered < 3 ? "/" : "/login?error=1");
    response.writeHead(303, { "Content-Length": 0 }).end();
  });
  const port = await portOf(t, server);
  const load = { port, connections: 1, status: 303, next: times(10, get("/")) };
  await assert.rejects(run({ ...load, text: "Location: /\r\n" }), /unexpected response/);
  assert.equal(answered, 3);
});
