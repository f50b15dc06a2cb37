import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ask,
  type Headers,
  PAGE,
  PUBLIC_URL,
  startForwardAuth,
  TARGET,
} from "./forward-auth-asking.ts";

const pages: readonly (readonly [
  what: string,
  forwarded: Headers,
  returnTo: string | undefined,
])[] = [
  ["the domain itself", { "X-Forwarded-Host": "example.test" }, "https://example.test/page"],
  ["plain http", { "X-Forwarded-Proto": "http" }, undefined],
  [
    "capitals in the host",
    { "X-Forwarded-Host": "App.Example.Test" },
    "https://app.example.test/page",
  ],
  [
    "a default port",
    { "X-Forwarded-Host": "app.example.test:443" },
    "https://app.example.test/page",
  ],
  [
    "the gate itself",
    { "X-Forwarded-Host": "auth.example.test" },
    "https://auth.example.test/page",
  ],
  ["a path with slashes", { "X-Forwarded-Uri": "//evil/a" }, "https://app.example.test//evil/a"],
  [
    "special characters in the query",
    { "X-Forwarded-Uri": "/?a=<b>&c#d" },
    "https://app.example.test/?a=%3Cb%3E&c#d",
  ],
  ["another port", { "X-Forwarded-Host": "app.example.test:8443" }, undefined],
  ["another host", { "X-Forwarded-Host": "evil.example" }, undefined],
  ["a host with the same ending", { "X-Forwarded-Host": "evilexample.test" }, undefined],
  ["a host with a user", { "X-Forwarded-Host": "u@app.example.test" }, undefined],
  ["a host after a user", { "X-Forwarded-Host": "app.example.test@evil.example" }, undefined],
  ["a host with a path", { "X-Forwarded-Host": "evil.example/app.example.test" }, undefined],
  ["a host with a hash", { "X-Forwarded-Host": "evil.example#app.example.test" }, undefined],
  ["two hosts", { "X-Forwarded-Host": "app.example.test, evil.example" }, undefined],
  ["an empty host", { "X-Forwarded-Host": "" }, undefined],
  ["another scheme", { "X-Forwarded-Proto": "javascript" }, undefined],
  ["two schemes", { "X-Forwarded-Proto": "https,http" }, undefined],
  ["a scheme with a host", { "X-Forwarded-Proto": "https://evil.example/" }, undefined],
  ["an empty scheme", { "X-Forwarded-Proto": "" }, undefined],
  ["no path", { "X-Forwarded-Uri": "" }, undefined],
  ["a path that continues the host name", { "X-Forwarded-Uri": ".evil.example/" }, undefined],
  ["a path that makes the host a user", { "X-Forwarded-Uri": "@evil.example/" }, undefined],
  ["a path too long to keep", { "X-Forwarded-Uri": `/${"a".repeat(2_048)}` }, undefined],
];

for (const [what, forwarded, returnTo] of pages) {
  test(`for ${what}, the return target is ${returnTo ?? "dropped"}`, async (t) => {
    const gate = await startForwardAuth(t);
    await gate.setUp();
    const answer = await ask(gate, { ...PAGE, "X-Forwarded-Uri": "/page", ...forwarded });
    const query = returnTo === undefined ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
    assert.deepEqual([answer.status, answer.location], [303, `${PUBLIC_URL}/login${query}`]);
  });
}

for (const missing of ["Proto", "Host", "Uri"]) {
  test(`drops the return target without X-Forwarded-${missing}`, async (t) => {
    const gate = await startForwardAuth(t);
    await gate.setUp();
    const told = Object.entries(PAGE).filter(([name]) => name !== `X-Forwarded-${missing}`);
    const answer = await ask(gate, Object.fromEntries(told));
    assert.deepEqual([answer.status, answer.location], [303, `${PUBLIC_URL}/login`]);
  });
}

test("ignores the forwarded page of an untrusted peer", async (t) => {
  const gate = await startForwardAuth(t);
  await gate.setUp();
  const sending = { headers: PAGE, from: "127.0.0.9" };
  assert.equal((await gate.send("/forward-auth", sending)).location, `${PUBLIC_URL}/login`);
  const trustless = await startForwardAuth(t, { trustedProxies: [] });
  assert.equal((await ask(trustless, PAGE)).location, `${PUBLIC_URL}/setup`);
});

test("without a public URL, redirects to a path and accepts only the requested host as return target", async (t) => {
  const gate = await startForwardAuth(t, { publicUrl: undefined, cookieDomain: undefined });
  await gate.setUp();
  assert.equal((await ask(gate, PAGE)).location, "/login");
  const { location } = await ask(gate, { ...PAGE, Host: "app.example.test" });
  assert.equal(location, `/login?return_to=${TARGET}`);
});
