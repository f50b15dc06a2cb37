import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createKeyText, findKeyText, isCompleteKey } from "../../src/identity/key-text.ts";
import { digestText } from "../../src/lib/random-text.ts";

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

test("makes texts of 57 characters that differ, with a checksum", () => {
  const texts = Array.from({ length: 100 }, createKeyText);
  for (const text of texts) {
    assert.match(text, /^latchkey_[\w-]{48}$/);
    assert.ok(isCompleteKey(text));
  }
  assert.equal(new Set(texts).size, texts.length);
  assert.equal(new Set(texts.map(digestText)).size, texts.length);
});

test("notices every mistyped character, and a text that is cut, longer or spelt differently", () => {
  const text = createKeyText();
  fc.assert(
    fc.property(fc.nat(47), fc.constantFrom(..."abcXYZ019-_"), (at, letter) => {
      const changed = text.slice(0, 9 + at) + letter + text.slice(10 + at);
      return isCompleteKey(changed) === (changed === text);
    }),
  );
  for (const other of [
    text.slice(0, -1),
    `${text}A`,
    `${text}=`,
    text.slice(0, 9),
    "latchkey_AAAA",
  ]) {
    assert.ok(!isCompleteKey(other), other);
  }
});

test("finds a key as a Bearer token and as the password of Basic, whatever the username", () => {
  const headers = ["Bearer latchkey_x", "bearer  latchkey_x ", "BEARER latchkey_x"];
  for (const name of ["", "owner", "Jürgen", "latchkey_y"])
    headers.push(basic(`${name}:latchkey_x`));
  for (const header of headers) assert.equal(findKeyText(header), "latchkey_x", header);
});

test("finds no key in any other Authorization", () => {
  const others = ["", "latchkey_x", "Bearer", "Bearer x", "Bearerlatchkey_x", "Token latchkey_x"];
  others.push("Bearer Latchkey_x", "Bearer latchkey_x latchkey_x", "Bearer x, Bearer latchkey_x");
  others.push(
    basic("owner:secret"),
    basic("latchkey_x:"),
    basic("a:b:latchkey_x"),
    "Basic %%%",
    "x",
  );
  others.push('Digest username="latchkey_x"', `Negotiate ${"x".repeat(9_000)}`);
  for (const header of others) assert.equal(findKeyText(header), undefined, header);
});
