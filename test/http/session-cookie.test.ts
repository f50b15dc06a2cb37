import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCookie } from "../../src/http/session-cookie.ts";
import { anyCharacter } from "../support/any-character.ts";

const headers: readonly (readonly [header: string | undefined, token: string | undefined])[] = [
  [undefined, undefined],
  ["", undefined],
  ["session=abc", "abc"],
  ["session=", undefined],
  ["session=; session= ; session=second", "second"],
  [" \tsession\t =  abc  ", "abc"],
  ["\u00a0session=abc; session\u00a0=abc; session=\u00a0d", "\u00a0d"],
  ["Session=abc", undefined],
  ["session2=abc", undefined],
  ["xsession=abc", undefined],
  ["__Host-session=abc", undefined],
  ['session="abc"', '"abc"'],
  ["session=%61bc", "%61bc"],
  ["session=abc, session=def", "abc, session=def"],
];

for (const [header, token] of headers) {
  test(`reads ${token === undefined ? "no" : "the"} token from ${JSON.stringify(header)}`, () => {
    assert.equal(readCookie(header, "session"), token);
  });
}

/** Splits at every semicolon and returns the first session cookie. */
function firstSession(header: string): string | undefined {
  const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, "");
  const pieces = header.split(";").map((piece) => {
    const [name = "", ...value] = piece.split("=");
    return { name: trim(name), value: value.length === 0 ? undefined : trim(value.join("=")) };
  });
  return pieces.find(({ name, value }) => name === "session" && value)?.value;
}

test("finds the first session cookie in any header and never throws", () => {
  const piece = fc.constantFrom(
    ...["session", "session=", "=", ";", "; ", " ", "a=b", "abc", '"', ",", "\t"],
  );
  const header = fc.oneof(
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("")),
    fc.string({ unit: anyCharacter, maxLength: 60 }),
  );
  fc.assert(
    fc.property(header, (text) => {
      assert.equal(readCookie(text, "session"), firstSession(text));
    }),
    { numRuns: 300 },
  );
});

test("reads a long header in linear time", () => {
  // Quadratic time would be minutes, whatever the machine.
  const before = process.threadCpuUsage();
  for (const unit of [";", "=", "a=b;", " ", "session;"]) {
    assert.equal(readCookie(unit.repeat(100_000), "session"), undefined);
    assert.equal(readCookie(`${unit.repeat(100_000)}=`, "session"), undefined);
  }
  const { user } = process.threadCpuUsage(before);
  assert.ok(user < 20_000_000, `${user} µs`);
});
