import assert from "node:assert/strict";
import { test } from "node:test";
import { findNearest, normalizeName } from "../../src/lib/find-nearest.ts";

test("finds the word within two edits that needs the fewest, if they leave any of it", () => {
  for (const [words, given, nearest] of [
    [["serve", "secret"], "secret", "secret"],
    [["serve", "secret"], "secre", "secret"],
    [["serve", "secret"], "sreve", "serve"],
    [["cat", "cart", "carbs"], "carts", "cart"],
    [["cart", "card"], "care", "cart"],
    [["json"], "jsn", "json"],
    [["json"], "jsoonn", "json"],
    [["json"], "xjsonxx", undefined],
    [["json"], "jabc", undefined],
    [["to"], "at", undefined],
    [["to"], "ta", "to"],
    [["abc"], "c", undefined],
    [[], "json", undefined],
  ] as const) {
    assert.equal(findNearest(words, given), nearest, `${words} ${given}`);
  }
});

test("takes the spellings of a name for one, in any order and number of its words", () => {
  const [first = "", ...others] = [
    "TRUST_PROXY",
    "trusted-proxies",
    "proxiesTrusted",
    "proxy.trust",
  ];
  for (const other of others) assert.equal(normalizeName(other), normalizeName(first), other);
  assert.equal(normalizeName("limitIpv6Sessions"), normalizeName("LIMIT__IPV6_SESSION"));
  for (const other of ["trustproxy", "TRUST_PROX_Y", "TRUST", ""])
    assert.notEqual(normalizeName(other), normalizeName(first), other);
});
