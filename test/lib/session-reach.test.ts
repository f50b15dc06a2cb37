import assert from "node:assert/strict";
import { test } from "node:test";
import { findMissingScope } from "../../src/lib/session-reach.ts";

const AUTH = "https://auth.example.org";

for (const [host, publicUrl, cookieDomain, returnDomains, missing] of [
  ["app.example.org", undefined, undefined, [], undefined],
  ["auth.example.org", AUTH, undefined, [], undefined],
  ["app.example.org", AUTH, "example.org", [], undefined],
  ["photos.other.net", AUTH, "example.org", ["other.net"], undefined],
  [
    "app.example.org",
    AUTH,
    undefined,
    [],
    "COOKIE_DOMAIN=example.org or RETURN_DOMAINS=app.example.org",
  ],
  ["photos.other.net", AUTH, undefined, [], "RETURN_DOMAINS=photos.other.net"],
  [
    "photos.other.net",
    AUTH,
    "example.org",
    ["third.org"],
    "RETURN_DOMAINS=third.org,photos.other.net",
  ],
  ["badexample.org", AUTH, "example.org", [], "RETURN_DOMAINS=badexample.org"],
  [
    "app.home.test",
    "http://auth.home.test",
    undefined,
    [],
    "COOKIE_DOMAIN=home.test or RETURN_DOMAINS=app.home.test and a PUBLIC_URL with https",
  ],
  ["nas", AUTH, undefined, [], "PUBLIC_URL=https://nas"],
  ["192.168.1.5", AUTH, "example.org", [], "PUBLIC_URL=https://192.168.1.5"],
] as const) {
  test(`at ${host}, ${publicUrl}, ${cookieDomain}, ${returnDomains}: ${missing ?? "ok"}`, () => {
    assert.equal(findMissingScope(host, { publicUrl, cookieDomain, returnDomains }), missing);
  });
}
