import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePasswords } from "../../../proof/chaos/judge/passwords.ts";

const calm = { acknowledged: "second", inFlight: undefined };
const changing = { acknowledged: "second", inFlight: "third" };

for (const [what, history, working] of [
  ["the last acknowledged password", calm, ["second"]],
  ["the password before an interrupted change", changing, ["second"]],
  ["the password of an interrupted change", changing, ["third"]],
] as const) {
  test(`accepts ${what} as the only working password`, () => {
    assert.deepEqual(judgePasswords(history, new Set(working)), []);
  });
}

for (const [what, history, working, problem] of [
  ["no password works", calm, [], /"second" was acknowledged and does not work/],
  ["only an older password works", calm, ["first"], /does not work.*"first" works/],
  [
    "an older password works too",
    calm,
    ["second", "first"],
    /"first" works although it was replaced/,
  ],
  ["both passwords of a change work", changing, ["second", "third"], /both "second" and "third"/],
  ["neither password of a change works", changing, [], /does not work/],
] as const) {
  test(`reports that ${what}`, () => {
    assert.match(judgePasswords(history, new Set<string>(working)).join(), problem);
  });
}
