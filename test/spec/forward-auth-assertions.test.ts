import assert from "node:assert/strict";
import { test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { addKey } from "../support/add-key.ts";
import type { Sending } from "../support/client.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { FORWARD_AUTH, type Headers, PAGE } from "./forward-auth-asking.ts";

const ON = { ...FORWARD_AUTH, assertions: "on" } as const;
const KEYS = "/.well-known/latchkey.json";

test("a positive answer asserts who asks, to the host that a trusted proxy names", async (t) => {
  const { gate, session } = await startConfigured(t, ON);
  const Authorization = `Bearer ${await addKey(gate)}`;
  const { user_id: sub } = partsOf(session).claims;
  const owner = { sub, username: "owner", groups: ["admins"] };
  const keys = createRemoteJWKSet(new URL(KEYS, gate.url));
  const ask = async (sending: Sending, path = "/forward-auth") => {
    const { status, headers } = await gate.send(path, sending);
    assert.equal(status, 200);
    const { payload } = await jwtVerify(String(headers["latchkey-assertion"]), keys);
    const { iat: _, exp: __, ...claims } = payload;
    return claims;
  };
  const aud = "app.example.test";
  const headers = { ...PAGE, "X-Forwarded-Host": "APP.example.test:8443" };
  assert.deepEqual(await ask({ session, headers }), { ...owner, aud });
  assert.deepEqual(await ask({ headers: { ...headers, Authorization } }), { ...owner, aud });
  const other = {
    ...headers,
    "X-Forwarded-Host": "other.example.test",
    Authorization: "Basic eA==",
  };
  const path = "/forward-auth?authorization=pass&groups=admins";
  const claims = await ask({ session, headers: other }, path);
  assert.deepEqual(claims, { ...owner, aud: "other.example.test" });
  // Envoy keeps the host of the client, and its query can contain anything.
  const envoy = { session, headers: { ...headers, Host: "envoy.example.test" }, method: "POST" };
  const suffixed = await ask(envoy, "/forward-auth/page?aud=x");
  assert.deepEqual(suffixed, { ...owner, aud: "envoy.example.test" });
  const direct = { session, headers: { Host: "direct.test:1", ...PAGE }, from: "127.0.0.2" };
  assert.deepEqual(await ask(direct), { ...owner, aud: "direct.test" });
});

test("asserts nothing in a refusal, nor for a text that is not a host", async (t) => {
  const { gate, session } = await startConfigured(t, ON);
  const cases: readonly (readonly [
    status: number,
    path: string,
    headers: Headers,
    own?: string,
  ])[] = [
    [401, "/forward-auth", {}],
    [303, "/forward-auth", PAGE],
    [403, "/forward-auth?users=other", {}, session],
    [403, "/forward-auth?groups=family", PAGE, session],
    [400, "/forward-auth?user=owner", PAGE, session],
    [401, "/forward-auth", { Authorization: "Bearer latchkey_x" }, session],
    [200, "/forward-auth", { "X-Forwarded-Host": "app.test, evil.test" }, session],
    [200, "/forward-auth", { "X-Forwarded-Host": "app.test/x" }, session],
  ];
  for (const [status, path, headers, own] of cases) {
    const forged = { ...headers, "Latchkey-Assertion": "e30.e30.forged" };
    const answer = await gate.send(path, { headers: forged, session: own });
    assert.deepEqual([answer.status, answer.headers["latchkey-assertion"]], [status, undefined]);
  }
});

test("every host can read the public keys, if assertions are on", async (t) => {
  const on = await startGate(t, { ...ON, allowedHosts: ["auth.example.test"] });
  const { status, body, headers } = await on.send(KEYS, { headers: { Host: "gate:3000" } });
  assert.deepEqual([status, headers["content-type"]], [200, "application/json"]);
  const names = JSON.parse(body).keys.map((key: object) => Object.keys(key).sort());
  assert.deepEqual(names.sort(), [
    ["alg", "crv", "kid", "kty", "use", "x"],
    ["alg", "crv", "kid", "kty", "use", "x", "y"],
    ["alg", "e", "kid", "kty", "n", "use"],
  ]);
  const { gate: off, session } = await startConfigured(t, FORWARD_AUTH);
  assert.equal((await off.send(KEYS)).status, 404);
  const answer = await off.send("/forward-auth", { session });
  assert.deepEqual([answer.status, answer.headers["latchkey-assertion"]], [200, undefined]);
});
