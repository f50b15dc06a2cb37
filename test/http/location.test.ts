import assert from "node:assert/strict";
import { test } from "node:test";
import {
  canShareCookies,
  isCookieDomain,
  isLocation,
  parseOrigin,
} from "../../src/http/location.ts";

const urls = [
  "https://app.example.org",
  "https://app.example.org/home?a=b#c",
  "http://127.0.0.1:8080/",
  "http://[::1]:8080/",
  "HTTPS://App.Example.org/",
];

/** Neither local paths nor valid URLs. Paths alone: `test/lib/return-target.test.ts`. */
const tricks = [
  "",
  "home",
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "\t//evil.example",
  " //evil.example",
  "/home\r\nSet-Cookie: session=x",
  "https:evil.example",
  "https:/evil.example",
  "https:\\\\evil.example",
  "https:///evil.example",
  "https://evil.example\n",
  "https://ev\til.example/",
  "https://evil.example/a b",
  " https://evil.example",
  "https://",
  "https://:80",
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "ftp://evil.example/",
  "blob:https://evil.example/x",
  "ftp://evil.example/https://home",
  "https://*.evil.example/",
  "https://evil.example;*/",
  "https://evil*.example/",
  "/日本",
  "https://app.example.org/日本",
];

for (const url of urls) {
  test(`accepts a URL: ${url}`, () => {
    assert.equal(isLocation(url), true);
  });
}

for (const trick of tricks) {
  test(`rejects as a location: ${JSON.stringify(trick)}`, () => {
    assert.equal(isLocation(trick), false);
  });
}

test("the origin of a URL is its scheme, host and port; a path has no origin", () => {
  assert.equal(parseOrigin("https://App.example.org:443/home?a=b"), "https://app.example.org");
  assert.equal(parseOrigin("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
  for (const text of ["/", "home", "//evil.example", "javascript:alert(1)", "null", ""]) {
    assert.equal(parseOrigin(text), undefined, text);
  }
});

for (const domain of [
  ...["example.org", "a.b", "a1.b2c", "x--y.example", "one.two.three.example", "1.example"],
  ...["a-b.c-d", "xn--bcher-kva.example", "9a.example.x9"],
]) {
  test(`accepts the cookie domain ${domain}`, () => {
    assert.equal(isCookieDomain(domain), true);
  });
}

for (const domain of [
  ...["", "localhost", ".example.org", "example.org.", "a..b", "-a.example", "a-.example"],
  ...["a.-b", "a.b-", "a.1", "127.0.0.1", "[::1]", "Example.org", "a_b.example", "_a.example"],
  ...["a_.example", "a.b_c", "a.b_", "a_b_c.example", "example.org:8080", "example.org/"],
  ...["*.example.org", " example.org", "example.org ", "example.org\n", "bücher.example"],
]) {
  test(`rejects the cookie domain ${JSON.stringify(domain)}`, () => {
    assert.equal(isCookieDomain(domain), false);
  });
}

test("an origin shares the cookies of its own host and of its parent domains", () => {
  assert.equal(canShareCookies("https://example.org:8443", "example.org"), true);
  assert.equal(canShareCookies("https://app.example.org", "example.org"), true);
  assert.equal(canShareCookies("https://badexample.org", "example.org"), false);
  assert.equal(canShareCookies("https://org", "example.org"), false);
  assert.equal(canShareCookies(undefined, "example.org"), true, "not known");
  assert.equal(canShareCookies("https://example.org", undefined), true, "not known");
});
