import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, Hono } from "hono";
import { Fault, isClientGone } from "../../../src/core/fault.ts";
import { connectedFrom, incomingOf, isEncrypted } from "../../../src/web/request/connection.ts";
import { sessionCookies } from "../../../src/web/session-cookie.ts";

/** Runs `work` in a handler for a request with these bindings and returns its result. */
async function runInHandler<T>(
  env: unknown,
  work: (c: Context) => T,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const results: T[] = [];
  const app = new Hono();
  app.get("/", (c) => {
    results.push(work(c));
    return c.body(null);
  });
  app.onError((error) => {
    throw error;
  });
  await app.request("/", { headers }, env as object);
  const [result] = results;
  if (result === undefined) throw new Error("the handler did not run");
  return result;
}

const overSocket = (socket: object) => ({ incoming: { socket } });

test("reads the connection from the bindings of Hono's Node server", async () => {
  const read = (c: Context) => [connectedFrom(c), isEncrypted(c)];
  const plain = await runInHandler(overSocket({ remoteAddress: "192.0.2.1" }), read);
  assert.deepEqual(plain, ["192.0.2.1", false]);
  const tls = await runInHandler(overSocket({ remoteAddress: "192.0.2.1", encrypted: true }), read);
  assert.deepEqual(tls, ["192.0.2.1", true]);
});

test("finds no Node request in bindings without one", async () => {
  for (const env of [undefined, {}, { incoming: null }, { incoming: "x" }]) {
    assert.deepEqual(await runInHandler(env, (c) => [incomingOf(c)]), [undefined]);
  }
});

const unknown = [overSocket({}), overSocket({ remoteAddress: 7 })];

for (const env of [undefined, {}, { incoming: null }, { incoming: {} }, ...unknown]) {
  test(`throws if the server does not provide the address: ${JSON.stringify(env)}`, async () => {
    assert.equal(await runInHandler(env, isEncrypted), false);
    await assert.rejects(runInHandler(env, connectedFrom), (error) => {
      assert.ok(error instanceof Fault);
      assert.equal(error.code, "remote_address_unknown");
      assert.match(error.message, /@hono\/node-server/);
      return true;
    });
  });
}

for (const socket of [
  { destroyed: true },
  { destroyed: true, remoteAddress: undefined },
  { destroyed: false, localAddress: "192.0.2.9" },
]) {
  test(`reports a disconnected client as gone: ${JSON.stringify(socket)}`, async () => {
    await assert.rejects(runInHandler(overSocket(socket), connectedFrom), (error) => {
      assert.ok(isClientGone(error));
      return true;
    });
  });
}

test("does not report a client on a Unix socket as gone", async () => {
  await assert.rejects(runInHandler(overSocket({ destroyed: false }), connectedFrom), (error) => {
    assert.ok(!isClientGone(error));
    return true;
  });
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
  test(`sets a session cookie ${secure ? "with" : "without"} Secure: ${how}`, async () => {
    const headers: Record<string, string> =
      proto === undefined ? {} : { "X-Forwarded-Proto": proto };
    const env = overSocket({ remoteAddress: "192.0.2.1", encrypted });
    const cookie = await runInHandler(
      env,
      (c) => sessionCookies(c, "abc", undefined).join("\n"),
      headers,
    );
    const always = "session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000";
    assert.equal(cookie, secure ? `${always}; Secure` : always);
  });
}
