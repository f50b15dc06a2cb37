import assert from "node:assert/strict";
import { basename, join, relative } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { parseCertifiableName } from "../../../src/gate/https/host-name.ts";

const longest = `${`${"a".repeat(63)}.`.repeat(3)}${"b".repeat(57)}.org`;

const taken: readonly (readonly [text: string, name: string])[] = [
  ["home.example.org", "home.example.org"],
  ["Home.EXAMPLE.Org", "home.example.org"],
  ["home.example.org.", "home.example.org"],
  ["  home.example.org \r\n", "home.example.org"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["faß.example", "xn--fa-hia.example"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["例え。テスト", "xn--r8jz45g.xn--zckzah"],
  ["a.b", "a.b"],
  [longest, longest],
];

test("normalizes a name to its form in certificates", () => {
  for (const [text, name] of taken) assert.equal(parseCertifiableName(text), name);
});

const refused: Readonly<Record<string, readonly string[]>> = {
  "an IP address": ["192.0.2.1", "0x7f.1", "2130706433.", "127.1", "::1", "[::1]", "[2001:db8::1]"],
  "a wildcard name": ["*.example.org", "*", "home.*.org"],
  "a single label": ["localhost", "org", "localhost."],
  "an empty name or empty labels": ["", " ", ".", "..", ".example.org", "home..org", "home.org.."],
  "a name that is too long": [`b${longest}`, `${"a".repeat(64)}.org`],
  "a label that begins or ends with a hyphen": ["-a.org", "a-.org", "home.-", "a.b-", "xn--.org"],
  "invalid characters": ["a_b.org", "a b.org", "a,b.org", "ho'me.org", "a~.org", "a&b.c"],
  "a last label of digits": ["home.1", "example.0", "home.example.999"],
  "a path traversal": [
    ...["../x", "../../etc.d/passwd", "..\\x.org", "a/b.org", "/a.org", "home.org/..", "./a.b"],
    ...["home.org/../other.org", "%2e%2e/x.org", "home.org%2f..", "\u2024\u2024/x.org", "a.b\\"],
  ],
  "a URL or control characters": [
    ...["https://home.org", "home.org:80", "me@home.org", "home.org?x", "home.org#x", "home.org/"],
    ...["ho\nme.org", "ho\tme.org", "home.org\u0000", "home.org\r\nX: 1", "%68ome.org", "a.b;c"],
  ],
};

for (const [what, texts] of Object.entries(refused)) {
  test(`rejects ${what}`, () => {
    for (const text of texts) {
      const fault = { code: "domain_refused", message: /^cannot get a certificate for / };
      assert.throws(() => parseCertifiableName(text), fault, JSON.stringify(text));
    }
  });
}

test("every accepted name is a single safe folder name, and normalizing it again keeps it", () => {
  const hostile = fc
    .array(fc.constantFrom("a", "..", ".", "/", "\\", "%2f", "Ü", "\0", "-", "1", "。", "org", "@"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(hostile, fc.domain(), fc.string({ unit: "grapheme" })), (text) => {
      let name: string;
      try {
        name = parseCertifiableName(text);
      } catch {
        return;
      }
      assert.match(name, /^[a-z\d][a-z\d.-]*[a-z\d]$/);
      assert.ok(name.includes(".") && !name.includes("..") && name.length <= 253);
      assert.equal(basename(name), name);
      assert.equal(relative("/data", join("/data", name)), name);
      assert.equal(parseCertifiableName(name), name);
    }),
    { numRuns: 500 },
  );
});
