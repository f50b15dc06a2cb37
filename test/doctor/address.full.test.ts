import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { runCommand } from "../support/command.ts";
import { listenOn } from "../support/listen.ts";
import { tempDir } from "../support/temp-dir.ts";

test("reports an address that hangs within seconds, and closes all connections", async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.resume()));
  const url = `http://127.0.0.1:${await listenOn(t, server)}`;
  const env = { DATA_DIR: await tempDir(t) };
  const started = performance.now();
  const { code, stdout } = await runCommand(["doctor", "--url", url], { env });
  assert.ok(performance.now() - started < 15_000);
  assert.equal(code, 1);
  assert.match(stdout, /PROBLEM address .* does not answer: no response within 4 seconds\n/);
  server.close();
  await once(server, "close");
  assert.ok(sockets.length > 0);
});
