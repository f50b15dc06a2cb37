import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePasswords } from "../../../proof/chaos/judge/passwords.ts";

const calm = { acknowledged: "second", inFlight: undefined };
const changing = { acknowledged: "second", inFlight: "third" };

for (const [what, history, opening] of [
  ["the last acknowledged one", calm, ["second"]],
  ["the one before a change that was cut off", changing, ["second"]],
  ["the one of a change that was cut off", changing, ["third"]],
] as const) {
  test(`a door that ${what} opens is sound`, () => {
    assert.deepEqual(judgePasswords(history, new Set(opening)), []);
  });
}

for (const [what, history, opening, says] of [
  ["no password opens", calm, [], /"second" was acknowledged and does not open/],
  ["an older password opens alone", calm, ["first"], /does not open.*"first" opens/],
  ["an older password opens as well", calm, ["second", "first"], /"first" opens and was replaced/],
  ["both passwords of a change open", changing, ["second", "third"], /both "second" and "third"/],
  ["neither password of a change opens", changing, [], /does not open/],
] as const) {
  test(`a door that ${what} is a problem`, () => {
    assert.match(judgePasswords(history, new Set<string>(opening)).join(), says);
  });
}
