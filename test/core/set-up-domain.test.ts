import assert from "node:assert/strict";
import { test } from "node:test";
import { domainToSetUp } from "../../src/core/set-up.ts";

const taken: readonly (readonly [field: string, domain: string])[] = [
  ["home.example.org", "home.example.org"],
  ["  home.example.org\r\n", "home.example.org"],
  ["a.b", "a.b"],
  [".", "."],
  ["Bücher.example", "Bücher.example"],
  ["-x.example", "-x.example"],
  ["home.example:8443", "home.example:8443"],
];

for (const [field, domain] of taken) {
  test(`accepts the domain ${JSON.stringify(field)}`, () => {
    assert.equal(domainToSetUp(field), domain);
  });
}

const ignored = [
  "",
  "   ",
  "localhost",
  "home example.org",
  "https://home.example.org",
  "home.example.org/path",
  "home.example.org\\path",
  "me@example.org",
];

for (const field of ignored) {
  test(`rejects the domain ${JSON.stringify(field)}`, () => {
    assert.equal(domainToSetUp(field), undefined);
  });
}
