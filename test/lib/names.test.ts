import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isUsableLabel, isUsableName, isUsableUsername, nameKeyOf } from "../../src/lib/names.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Spellings that proxies, apps and their databases can take for one name. */
const SAME: readonly (readonly string[])[] = [
  ["owner", "Owner", "OWNER", " owner", "owner\n", "ow\0ner", "owner\u200b", "owner\ufe0f"],
  ["owner", "\uff4f\uff57\uff4e\uff45\uff52", "\u{1d428}wner", "\u00f3wn\u00e9r", "\u043ewner"],
  ["Stra\u00dfe", "STRASSE", "stra\u017f\u017fe", "stra\u1e9ee"],
  ["\u0130stanbul", "istanbul", "I\u0307STANBUL", "\u0131stanbul"],
  ["\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c2", "\u03c3\u03b1\u03c3"],
  ["Ann Lee", "ann  lee", "Ann\u00a0Lee", "ann\u3000lee"],
  ["caf\u00e9", "cafe\u0301", "cafe"],
  ["\u0441\u043e\u0441\u043e", "coco"],
  ["\uac00", "\u1100\u1161"],
];

test("the spellings of one name have one key", () => {
  for (const [first = "", ...others] of SAME)
    for (const other of others) assert.equal(nameKeyOf(other), nameKeyOf(first), other);
});

test("other names have other keys", () => {
  const names = [
    "ann",
    "anna",
    "an",
    "a-nn",
    "a.nn",
    "ann lee",
    "annlee",
    "\u304b",
    "\u304d",
    "1",
    "",
  ];
  const more = [
    "\u0928\u092e",
    "\u0928\u093e\u092e",
    "\u0410\u043d\u044f",
    "\u{1f511}",
    "\u{1f512}",
  ];
  const keys = new Set([...names, ...more].map(nameKeyOf));
  assert.equal(keys.size, names.length + more.length);
  assert.match(nameKeyOf("x".repeat(60_000)), /^[\w-]{43}$/);
});

test("any name has the key of its other case and of each of its normal forms", () => {
  const forms = ["NFC", "NFD", "NFKC", "NFKD"] as const;
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (name) => {
      for (const form of forms) {
        assert.equal(nameKeyOf(name.normalize(form)), nameKeyOf(name), form);
        assert.equal(nameKeyOf(name.toLowerCase().normalize(form)), nameKeyOf(name), "lower");
        assert.equal(nameKeyOf(name.toUpperCase().normalize(form)), nameKeyOf(name), "upper");
      }
    }),
    { numRuns: 2_000 },
  );
});

test("takes usernames of people in any one script, and no others", () => {
  for (const name of [
    ...["a", "Zo\u00eb Smith", "a.b+c@example.org", "O'Neil, jr.", "-x", "user_1", "\u{1f511}"],
    ...["\u0410\u043d\u043d\u0430", "\u0395\u03bb\u03ad\u03bd\u03b7", "\u5c71\u7530 taro"],
    ...[
      "\uae40\ucca0\uc218 Kim",
      "\u0930\u093e\u092e",
      "\u0645\u062d\u0645\u062f",
      "x".repeat(255),
    ],
  ]) {
    assert.equal(isUsableUsername(name), true, JSON.stringify(name));
  }
  for (const name of [
    ...["\0", "a\tb", "a\u0085b", "a\u00adb", "a\u200db", "a\u2066b", "a\ufeffb", "a\u2028b"],
    ...["a\ud800", "a\ue000", "a\uffff", "a\u034fb", "a\u3164", "\u2800", " a", "a ", "a\u2003b"],
    ...[
      "p\u0430ypal",
      "\u03bfwner",
      "\u0441o",
      "\u0430\u03b1",
      "x".repeat(256),
      "\u{1f511}".repeat(64),
    ],
  ]) {
    assert.equal(isUsableUsername(name), false, JSON.stringify(name));
    assert.equal(isUsableLabel(name), false, JSON.stringify(name));
  }
  assert.equal(isUsableLabel("x".repeat(240)), true);
  assert.equal(isUsableLabel("x".repeat(241)), false);
  assert.throws(() => isUsableUsername(7 as never), { code: "invalid_option" });
});

test("takes names of keys and passkeys with emoji and spaces, without control characters", () => {
  for (const name of [
    "My phone",
    "\u{1f469}\u200d\u{1f4bb} laptop",
    "\u2764\ufe0f",
    "\u00e4".repeat(127),
  ])
    assert.equal(isUsableName(name), true, JSON.stringify(name));
  for (const name of [
    "a\0",
    "a\nb",
    "a\u007f",
    "a\u202eb",
    "\u200fa",
    "a\u2029",
    "\ud800",
    "\u00e4".repeat(128),
  ])
    assert.equal(isUsableName(name), false, JSON.stringify(name));
});
