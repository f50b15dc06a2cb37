import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseForm, readForm } from "../../src/http/form.ts";
import { fetchRequest } from "../../src/index.ts";

const parseText = (text: string): URLSearchParams | undefined =>
  parseForm(Buffer.from(text, "utf8"));

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

test("parses fields as a browser encodes them and keeps the first of each name", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  const fields = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom("a", "b")), text));
  fc.assert(
    fc.property(fields, (pairs) => {
      const form = parseText(new URLSearchParams(pairs).toString());
      for (const [name] of pairs) {
        const first = pairs.find(([other]) => other === name)?.[1];
        assert.equal(form?.get(name), first);
      }
    }),
    { numRuns: 500 },
  );
});

const meanings: readonly (readonly [what: string, text: string, name: string, value: string])[] = [
  ["the first of two", "a=1&a=2", "a", "1"],
  ["the first of two spellings of a name", "%61=1&a=2", "a", "1"],
  ["small and capital escapes", "a=%c3%A9", "a", "é"],
  ["a percent sign alone", "a=100%", "a", "100%"],
  ["a percent sign without a valid escape", "a=%zz%4", "a", "%zz%4"],
  ["two percent signs", "a=%%41", "a", "%A"],
  ["raw UTF-8 beside a percent sign without an escape", "中=€%", "中", "€%"],
  ["an escaped percent sign", "a=%2541", "a", "%41"],
  ["a NUL", "a=b%00c", "a", "b\0c"],
  ["a byte order mark in a value", "a=%EF%BB%BFb", "a", "\ufeffb"],
  ["a byte order mark at the very start", "%EF%BB%BFa=b", "\ufeffa", "b"],
  ["a raw byte order mark at the very start", "\ufeffa=b", "\ufeffa", "b"],
  ["raw UTF-8", "ä=ö🔑", "ä", "ö🔑"],
  ["no normalisation", "a=e%CC%81", "a", "e\u0301"],
  ["__proto__", "__proto__=x", "__proto__", "x"],
];

for (const [what, text, name, value] of meanings) {
  test(`parses ${what}`, () => {
    assert.equal(parseText(text)?.get(name), value);
  });
}

const broken: Readonly<Record<string, Uint8Array>> = {
  "a raw byte that is not UTF-8": bytes("a=", [0xff]),
  "raw UTF-8 that is cut": bytes("a=", [0xe2, 0x82]),
  "an escaped byte that is not UTF-8": bytes("a=%FF"),
  "an escaped overlong slash": bytes("a=%C0%AF"),
  "an escaped surrogate pair": bytes("a=%ED%A0%BD%ED%B4%91"),
  "broken UTF-8 in a name": bytes("%FF=a"),
  "broken UTF-8 in an unused field": bytes("a=b&z=%FF"),
  "broken UTF-8 in a second value": bytes("a=b&a=%FF"),
};

for (const [what, body] of Object.entries(broken)) {
  test(`rejects ${what}`, () => {
    assert.equal(parseForm(body), undefined);
  });
}

test("rejects invalid UTF-8, so that two different passwords never become the same", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (body) => {
      const escaped = [...body].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
      const form = parseForm(bytes(`a=${escaped}`));
      const text = Buffer.from(body).toString("utf8");
      const isUtf8 = Buffer.from(text, "utf8").equals(Buffer.from(body));
      assert.equal(form?.get("a"), isUtf8 ? text : undefined);
    }),
    { numRuns: 1_000 },
  );
});

test("treats names of Object.prototype as missing fields", async () => {
  const request = new Request("http://localhost/", {
    method: "POST",
    body: new URLSearchParams({ a: "b" }),
  });
  const form = await readForm(fetchRequest(request));
  assert.ok(typeof form === "function");
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", ""]) {
    assert.equal(form(name), "");
  }
  assert.equal(form("a"), "b");
});
