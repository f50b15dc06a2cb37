import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault, isClientGone } from "../../../src/core/base/fault.ts";
import { nodeRequest } from "../../../src/index.ts";
import { sessionCookies } from "../../../src/web/answers/session-cookie.ts";
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

const secureCases: readonly (readonly [
  encrypted: boolean,
  proto: string | undefined,
  secure: boolean,
])[] = [
  [false, undefined, false],
  [true, undefined, true],
  [false, "https", true],
  [true, "http", true],
  [false, "http", false],
  [false, "https, http", false],
  [false, "", false],
];

for (const [encrypted, proto, secure] of secureCases) {
  const how = `${encrypted ? "over TLS" : "without TLS"}, X-Forwarded-Proto ${proto ?? "absent"}`;
  test(`sets a session cookie ${secure ? "with" : "without"} Secure: ${how}`, () => {
    const headers: Record<string, string> =
      proto === undefined ? {} : { "x-forwarded-proto": proto };
    const request = over({ remoteAddress: "192.0.2.1", encrypted }, headers);
    const cookie = sessionCookies(request, "abc", undefined).join("\n");
    const always = "session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000";
    assert.equal(cookie, secure ? `${always}; Secure` : always);
  });
}
