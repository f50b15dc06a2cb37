import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { runCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";

test("reports an address that hangs within seconds, and closes all connections", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const started = performance.now();
  const url = `http://127.0.0.1:${port}`;
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket.resume()));
  const { code, stdout } = await runCommand(["doctor", "--url", url], {
    env: {
      DATA_DIR: await tempDir(t),
    },
  });
  assert.ok(performance.now() - started < 15_000);
  assert.equal(code, 1);
  assert.match(stdout, /PROBLEM address .* does not answer: no response within 4 seconds\n/);
  server.close();
  await once(server, "close");
  assert.ok(sockets.length > 0);
});
