import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { listenOn } from "../../../test/support/listen.ts";
import { exchange, NoResponse } from "../src/http/wire.ts";

test("opens no connection if the signal is already aborted", async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end("HTTP/1.1 204 No Content\r\n\r\n");
  });
  const port = await listenOn(t, server);
  const address = { protocol: "http:", host: "127.0.0.1", port } as const;
  const request = "GET / HTTP/1.1\r\n\r\n";
  const sending = { methods: ["GET"], signal: AbortSignal.abort() };
  await assert.rejects(exchange(address, request, sending), (error) => {
    assert.ok(error instanceof NoResponse);
    assert.equal(error.message, "stopped");
    return true;
  });
  const { bytes } = await exchange(address, request, { methods: ["GET"] });
  assert.match(bytes.toString(), /^HTTP\/1\.1 204 /);
  assert.equal(connections, 1);
});

test("closes the connection when the signal is aborted", async (t) => {
  const server = createServer();
  const port = await listenOn(t, server);
  const stopping = new AbortController();
  const exchanging = exchange(
    { protocol: "http:", host: "127.0.0.1", port },
    "GET / HTTP/1.1\r\n",
    {
      methods: ["GET"],
      signal: stopping.signal,
    },
  );
  const [socket] = await once(server, "connection");
  socket.on("error", () => {}).resume();
  stopping.abort();
  await assert.rejects(exchanging, NoResponse);
  await once(socket, "close");
});
