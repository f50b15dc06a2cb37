import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { strayFaults } from "../support/faults.ts";
import { startGate } from "../support/gate.ts";
import { formRequest, openSocket } from "../support/raw.ts";

const COMPLETE = "username=owner&password=correct+horse&confirm=correct+horse";

const half = COMPLETE.slice(0, 30);
const unfinished: Readonly<Record<string, string>> = {
  "with its length": formRequest("/setup", half, `Content-Length: ${COMPLETE.length}`),
  "in chunks": formRequest("/setup", `1e\r\n${half}\r\n`, "Transfer-Encoding: chunked"),
  "with no body yet": formRequest("/setup", "", `Content-Length: ${COMPLETE.length}`),
};

const endings: Readonly<Record<string, (socket: Socket) => unknown>> = {
  "cut off": (socket) => socket.destroy(),
  reset: (socket) => socket.resetAndDestroy(),
  ended: (socket) => socket.end(),
};

for (const [how, request] of Object.entries(unfinished)) {
  for (const [ending, end] of Object.entries(endings)) {
    test(`a client that disconnects causes no error (${how}, ${ending})`, async (t) => {
      const faults = strayFaults(t);
      const gate = await startGate(t);
      const socket = await openSocket(t, gate.url);
      await new Promise((resolve) => socket.write(request, resolve));
      // Once the gate has answered a later client, it is reading the first request.
      assert.equal((await gate.send("/login")).status, 200);
      end(socket);
      for (let i = 0; i < 5; i += 1) assert.equal((await gate.send("/setup")).status, 200);
      assert.deepEqual(faults, []);
      const failures = gate.serverLog.filter(({ level }) => level === "error" || level === "fatal");
      assert.deepEqual(failures, []);
      await gate.stop();
      assert.deepEqual(faults, []);
    });
  }
}
