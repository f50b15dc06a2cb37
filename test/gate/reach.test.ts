import assert from "node:assert/strict";
import { test } from "node:test";
import { getReach } from "../../src/gate/reach.ts";
import { wholeSettings } from "./settings/settings-reading.ts";

const reaches: readonly (readonly [
  env: Readonly<Record<string, string>>,
  url: string | undefined,
  reach: ReturnType<typeof getReach>,
])[] = [
  [{}, undefined, "this-machine"],
  [{ HOST: "127.0.0.9" }, undefined, "this-machine"],
  [{ HOST: "localhost" }, undefined, "this-machine"],
  [{ HOST: "::1", PUBLIC_URL: "http://auth.localhost:3000" }, undefined, "this-machine"],
  [{}, "http://127.0.0.1:3000", "this-machine"],
  [{ HOST: "0.0.0.0" }, undefined, "others"],
  [{ HOST: "::" }, undefined, "others"],
  [{ PUBLIC_URL: "https://auth.example.org" }, undefined, "others"],
  [{ COOKIE_DOMAIN: "example.org" }, undefined, "others"],
  [{ TRUSTED_PROXIES: "127.0.0.1" }, undefined, "others"],
  [{ HTTPS_PORT: "443" }, undefined, "others"],
  [
    { HTTPS_PORT: "443", TLS_CERT_FILE: "/etc/hostname", TLS_KEY_FILE: "/etc/hostname" },
    undefined,
    "this-machine",
  ],
  [{}, "https://auth.example.org", "others"],
];
test("others reach a gate by its address, its names or a trusted proxy", () => {
  for (const [env, url, reach] of reaches) {
    const at = url === undefined ? undefined : new URL(url);
    assert.equal(getReach(wholeSettings(env), at), reach, JSON.stringify(env));
  }
});
