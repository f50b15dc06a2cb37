import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault, isClientGone } from "../../../src/core/base/fault.ts";
import { nodeRequest } from "../../../src/index.ts";
import { connectedFrom, isEncrypted, peerOf } from "../../../src/web/request/connection.ts";

const over = (socket: object, headers: Readonly<Record<string, string>> = {}) =>
  nodeRequest({ socket, headers });

test("reads address and encryption from the connection", () => {
  const plain = over({ remoteAddress: "192.0.2.1" });
  assert.deepEqual([connectedFrom(plain), isEncrypted(plain)], ["192.0.2.1", false]);
  const tls = over({ remoteAddress: "192.0.2.1", encrypted: true });
  assert.deepEqual([connectedFrom(tls), isEncrypted(tls)], ["192.0.2.1", true]);
});

for (const socket of [{}, { remoteAddress: 7 }]) {
  test(`throws if the server does not provide the address: ${JSON.stringify(socket)}`, () => {
    assert.deepEqual([peerOf(over(socket)), isEncrypted(over(socket))], [undefined, false]);
    assert.throws(
      () => connectedFrom(over(socket)),
      (error) =>
        error instanceof Fault &&
        error.code === "remote_address_unknown" &&
        /@hono\/node-server/.test(error.message),
    );
  });
}

for (const socket of [
  { destroyed: true },
  { destroyed: true, remoteAddress: undefined },
  { destroyed: false, localAddress: "192.0.2.9" },
]) {
  test(`reports a disconnected client as gone: ${JSON.stringify(socket)}`, () => {
    assert.throws(() => connectedFrom(over(socket)), isClientGone);
  });
}

test("the address of a client on a Unix socket is `local`", () => {
  assert.equal(connectedFrom(over({ destroyed: false })), "local");
});
