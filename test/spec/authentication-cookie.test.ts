import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { getRequestListener } from "@hono/node-server";
import { type RunningApp, startApp } from "../support/app.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";

const PLAIN = /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/;
const SECURE =
  /^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/;

const ways: readonly {
  readonly way: string;
  cookies(gate: RunningGate, headers: Readonly<Record<string, string>>): Promise<readonly string[]>;
}[] = [
  {
    way: "setup",
    async cookies(gate, headers) {
      const form = { ...OWNER, confirm: OWNER.password };
      return (await gate.send("/setup", { form, headers })).cookies;
    },
  },
  {
    way: "sign-in",
    async cookies(gate, headers) {
      await gate.setUp();
      return (await gate.signIn({}, { headers })).cookies;
    },
  },
];

for (const { way, cookies } of ways) {
  test(`${way} sets one cookie with exactly the specified attributes`, async (t) => {
    const set = await cookies(await startGate(t), {});
    assert.equal(set.length, 1);
    assert.match(set[0] ?? "", PLAIN);
  });

  for (const proto of [
    "https",
    "HTTPS",
    "http",
    "https,http",
    "http, https",
    "https:",
    "wss",
    "",
  ]) {
    const secure = proto === "https";
    test(`${way} with X-Forwarded-Proto ${JSON.stringify(proto)} sets ${secure ? "a Secure" : "no Secure"} cookie`, async (t) => {
      const set = await cookies(await startGate(t), { "X-Forwarded-Proto": proto });
      assert.equal(set.length, 1);
      assert.match(set[0] ?? "", secure ? SECURE : PLAIN);
    });
  }
}

test("other forwarding headers do not make the cookie Secure", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const headers = { Forwarded: "proto=https", "X-Forwarded-Ssl": "on", "X-Scheme": "https" };
  assert.match((await gate.signIn({}, { headers })).cookies[0] ?? "", PLAIN);
});

test("sets a Secure cookie over TLS, whatever X-Forwarded-Proto says", async (t) => {
  const app = await startApp(t);
  await app.send("/setup", { form: { ...OWNER, confirm: OWNER.password } });
  const signIn = await overTls(t, app);
  assert.match(await signIn({}), SECURE);
  assert.match(await signIn({ "X-Forwarded-Proto": "http" }), SECURE);
});

/** Signs in over TLS with a pre-shared key, which needs no certificate, and returns the cookie. */
async function overTls(t: TestContext, app: RunningApp) {
  const psk = Buffer.from("a key that both ends have");
  const shared = { ciphers: "PSK", maxVersion: "TLSv1.2" } as const;
  const server = createServer(
    { ...shared, pskCallback: () => psk },
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = {
    ...shared,
    pskCallback: () => ({ psk, identity: "test" }),
    checkServerIdentity: () => undefined,
  };
  return async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const outgoing = request({
      ...client,
      host: "127.0.0.1",
      port,
      path: "/login",
      method: "POST",
      agent: false,
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
    });
    outgoing.end(new URLSearchParams(OWNER).toString());
    const [incoming] = await once(outgoing, "response");
    incoming.resume();
    await once(incoming, "end");
    return String(incoming.headers["set-cookie"]);
  };
}
