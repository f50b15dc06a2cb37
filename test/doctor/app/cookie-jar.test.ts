import assert from "node:assert/strict";
import { test } from "node:test";
import { CookieJar } from "../../../src/doctor/app/cookie-jar.ts";

/** Says which of these cookies, set at one URL, a request for another URL has. */
function sent(from: string, lines: readonly string[], to: string): string | undefined {
  const jar = new CookieJar(() => Date.parse("2030-01-01"));
  jar.keep(new URL(from), lines);
  return jar.getHeader(new URL(to), { from: undefined, by: "link" });
}

const APP = "https://app.example.org/";

/** Where a cookie goes: set at, line, asked for, sent. */
const cases: readonly (readonly [string, string, string, string, string | undefined])[] = [
  ["its own host", APP, "a=1", APP, "a=1"],
  ["another port of its host", APP, "a=1", "https://app.example.org:8443/", "a=1"],
  ["no host below it without a domain", APP, "a=1", "https://x.app.example.org/", undefined],
  ["no sibling without a domain", APP, "a=1", "https://other.example.org/", undefined],
  ["a sibling with a domain", APP, "a=1; Domain=example.org", "https://b.example.org/", "a=1"],
  ["a sibling with a dot", APP, "a=1; domain=.Example.org", "https://b.example.org/", "a=1"],
  [
    "no name that only ends alike",
    APP,
    "a=1; Domain=example.org",
    "https://badexample.org/",
    undefined,
  ],
  [
    "nobody for a foreign domain",
    APP,
    "a=1; Domain=example.net",
    "https://example.net/",
    undefined,
  ],
  [
    "nobody for a foreign domain, not even its host",
    APP,
    "a=1; Domain=example.net",
    APP,
    undefined,
  ],
  ["nobody for a host below", APP, "a=1; Domain=x.app.example.org", APP, undefined],
  ["nobody for a whole registry", APP, "a=1; Domain=org", APP, undefined],
  [
    "nobody for a shared domain",
    "https://a.github.io/",
    "a=1; Domain=github.io",
    "https://b.github.io/",
    undefined,
  ],
  [
    "an address with itself as domain",
    "http://10.0.0.1/",
    "a=1; Domain=10.0.0.1",
    "http://10.0.0.1/",
    "a=1",
  ],
  ["no part of an address", "http://10.0.0.1/", "a=1; Domain=0.0.1", "http://10.0.0.1/", undefined],
  ["no plain site if it is secure", APP, "a=1; Secure", "http://app.example.org/", undefined],
  [
    "nobody if a plain site sets a secure one",
    "http://a.example.org/",
    "a=1; Secure",
    "https://a.example.org/",
    undefined,
  ],
  [
    "this machine without TLS, though secure",
    "http://localhost/",
    "a=1; Secure",
    "http://localhost/",
    "a=1",
  ],
  ["its path", APP, "a=1; Path=/x", "https://app.example.org/x/y", "a=1"],
  ["no path that only begins alike", APP, "a=1; Path=/x", "https://app.example.org/xy", undefined],
  [
    "the folder of its page by default",
    "https://app.example.org/x/y",
    "a=1",
    "https://app.example.org/x/z",
    "a=1",
  ],
  ["no other folder by default", "https://app.example.org/x/y", "a=1", APP, undefined],
  ["nobody after its end", APP, "a=1; Expires=Sat, 01 Jan 2000 00:00:00 GMT", APP, undefined],
  ["nobody with a negative age", APP, "a=1; Max-Age=-1", APP, undefined],
  [
    "its host, by the age before the date",
    APP,
    "a=1; Max-Age=9; Expires=Sat, 01 Jan 2000 00:00:00 GMT",
    APP,
    "a=1",
  ],
  ["its host with the prefix", APP, "__Host-a=1; Secure; Path=/", APP, "__Host-a=1"],
  [
    "nobody with the prefix and a domain",
    APP,
    "__Host-a=1; Secure; Path=/; Domain=example.org",
    APP,
    undefined,
  ],
  ["nobody with the prefix and no path", APP, "__host-a=1; Secure", APP, undefined],
  ["nobody with the other prefix and not secure", APP, "__Secure-a=1", APP, undefined],
  ["nobody without a name", APP, "=1", APP, undefined],
  ["nobody without a value", APP, "a", APP, undefined],
  ["nobody with a control character", APP, "a=\u00011", APP, undefined],
  ["nobody with more than 4 KiB", APP, `a=${"x".repeat(4_096)}`, APP, undefined],
];

for (const [name, from, line, to, expected] of cases) {
  test(`sends a cookie to ${name}`, () => assert.equal(sent(from, [line], to), expected));
}

test("replaces a cookie of the same name, domain and path, and removes it", () => {
  const lines = ["a=1; Path=/", "a=2; Path=/", "a=3; Path=/x", "b=1", "b=; Max-Age=0"];
  assert.equal(sent(APP, lines, "https://app.example.org/x"), "a=3; a=2");
});

test("keeps a limited number of cookies, the newest ones", () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `n${at}=1`);
  const header = sent(APP, lines, APP) ?? "";
  assert.equal(header.split("; ").length, 300);
  assert.match(header, /n9999=1$/);
});
