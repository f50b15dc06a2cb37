import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { watchConnections } from "../../src/gate/listener.ts";
import { send } from "../support/client.ts";
import { listenOn } from "../support/listen.ts";

/** More than the system itself keeps for a connection. */
const LONG = Buffer.alloc(32 * 1024 * 1024, "x");

/** A server whose answers are to be taken within three looks. */
async function startServer(t: TestContext) {
  const server = createServer((request, response) => {
    response.end(request.url === "/long" ? LONG : "short");
  });
  watchConnections(server, "connection", 5_000);
  const port = await listenOn(t, server);
  return {
    port,
    /** Asks for a path, and answers with both ends of the connection. */
    async ask(path: string) {
      const accepted = once(server, "connection");
      const client = connect(port, "127.0.0.1");
      t.after(() => client.destroy());
      client.on("error", () => {});
      client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      const [atServer]: Socket[] = await accepted;
      if (atServer === undefined) throw new Error("no connection");
      return { client, atServer };
    },
  };
}

test("closes a connection that reads its response too slowly", { timeout: 60_000 }, async (t) => {
  const { client, atServer } = await (await startServer(t)).ask("/long");
  client.on("readable", () => {});
  const reading = setInterval(() => client.read(1), 20);
  t.after(() => clearInterval(reading));
  const start = performance.now();
  await once(atServer, "close");
  const took = performance.now() - start;
  assert.ok(took > 3_000, `${took}`);
});

test("answers other clients and keeps idle connections", async (t) => {
  const { port, ask } = await startServer(t);
  const resting = await ask("/");
  await once(resting.client, "data");
  const stalled = await ask("/long");
  stalled.client.pause();
  assert.equal((await send(`http://127.0.0.1:${port}/`)).status, 200);
  assert.equal((await send(`http://127.0.0.1:${port}/long`)).body.length, LONG.length);
  assert.equal(resting.atServer.destroyed, false);
});
