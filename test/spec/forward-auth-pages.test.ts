import assert from "node:assert/strict";
import { test } from "node:test";
import { startConfigured, startGate } from "../support/gate.ts";
import {
  ask,
  FORWARD_AUTH,
  type Headers,
  PAGE,
  PUBLIC_URL,
  TARGET,
} from "./forward-auth-asking.ts";

/** The forwarded page, and its address as the return target. */
const accepted: readonly (readonly [forwarded: Headers, returnTo: string])[] = [
  [{ "X-Forwarded-Host": "example.test" }, "https://example.test/page"],
  [{ "X-Forwarded-Host": "App.Example.Test" }, "https://app.example.test/page"],
  [{ "X-Forwarded-Host": "app.example.test:443" }, "https://app.example.test/page"],
  [{ "X-Forwarded-Host": "auth.example.test" }, "https://auth.example.test/page"],
  [{ "X-Forwarded-Uri": "//evil/a" }, "https://app.example.test//evil/a"],
  [{ "X-Forwarded-Uri": "/?a=<b>&c#d" }, "https://app.example.test/?a=%3Cb%3E&c#d"],
];

/** Which addresses are accepted at all: `test/lib/return-target.test.ts`. */
const dropped: readonly Headers[] = [
  { "X-Forwarded-Host": "evil.example" },
  { "X-Forwarded-Host": "app.example.test@evil.example" },
  { "X-Forwarded-Host": "evil.example/app.example.test" },
  { "X-Forwarded-Host": "evil.example#app.example.test" },
  { "X-Forwarded-Host": "app.example.test, evil.example" },
  { "X-Forwarded-Host": "" },
  { "X-Forwarded-Host": "app%2eexample.test" },
  { "X-Forwarded-Host": "app\u00ad.example.test" },
  { "X-Forwarded-Proto": "http" },
  { "X-Forwarded-Proto": "https,http" },
  { "X-Forwarded-Proto": "https://evil.example/" },
  { "X-Forwarded-Proto": "" },
  { "X-Forwarded-Uri": "" },
  { "X-Forwarded-Uri": ".evil.example/" },
  { "X-Forwarded-Uri": "@evil.example/" },
  { "X-Forwarded-Uri": `/${"a".repeat(2_048)}` },
];

test("the return target is the forwarded page in its normal spelling", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const locationFor = async (forwarded: Headers) =>
    (await ask(gate, { ...PAGE, "X-Forwarded-Uri": "/page", ...forwarded })).location;
  for (const [forwarded, returnTo] of accepted) {
    const query = `return_to=${encodeURIComponent(returnTo)}`;
    assert.equal(await locationFor(forwarded), `${PUBLIC_URL}/login?${query}`);
  }
  for (const forwarded of dropped) {
    assert.equal(await locationFor(forwarded), `${PUBLIC_URL}/login`, JSON.stringify(forwarded));
  }
  for (const missing of ["Proto", "Host", "Uri"]) {
    const sent = Object.entries(PAGE).filter(([name]) => name !== `X-Forwarded-${missing}`);
    const { location } = await ask(gate, Object.fromEntries(sent));
    assert.equal(location, `${PUBLIC_URL}/login`, `without ${missing}`);
  }
});

test("ignores the forwarded page of an untrusted peer", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const sending = { headers: PAGE, from: "127.0.0.9" };
  assert.equal((await gate.send("/forward-auth", sending)).location, `${PUBLIC_URL}/login`);
  const trustless = await startGate(t, { ...FORWARD_AUTH, trustedProxies: [] });
  assert.equal((await ask(trustless, PAGE)).location, `${PUBLIC_URL}/setup`);
});

test("without a public URL, accepts only the requested host as target", async (t) => {
  const { gate } = await startConfigured(t, { trustedProxies: ["127.0.0.1"] });
  assert.equal((await ask(gate, PAGE)).location, "/login");
  const { location } = await ask(gate, { ...PAGE, Host: "app.example.test" });
  assert.equal(location, `/login?return_to=${TARGET}`);
});

test("logs which setting is missing if the session does not reach an app", async (t) => {
  const { cookieDomain: _, ...settings } = FORWARD_AUTH;
  const { gate } = await startConfigured(t, settings);
  const { location } = await ask(gate, PAGE);
  assert.equal(location, `${PUBLIC_URL}/login`);
  const line = gate.serverLog.find(({ msg }) => String(msg).includes("does not reach this host"));
  assert.equal(line?.host, "app.example.test");
  assert.match(
    String(line?.msg),
    /set COOKIE_DOMAIN=example\.test or RETURN_DOMAINS=app\.example\.test$/,
  );
});
