import assert from "node:assert/strict";
import { test } from "node:test";
import { endedSessionsIn, isAmongEnded } from "../../../src/core/sessions/ended-sessions.ts";

test("reads the list of a user", () => {
  assert.deepEqual(endedSessionsIn(undefined), new Map());
  assert.deepEqual(
    endedSessionsIn('[["a",1],["b",2]]'),
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
  );
});

for (const text of [
  ...["", "{}", "null", "[1]", '[["a",1]'],
  ...['[["a"]]', '[[1,"a"]]', "[[1,1]]", '[["a",null]]', '[["a",1],["b"]]'],
]) {
  test(`counts every session as ended if the list is ${JSON.stringify(text)}`, () => {
    const ended = endedSessionsIn(text);
    assert.equal(ended, "all");
    assert.ok(isAmongEnded({ jti: "b" }, ended));
    assert.ok(isAmongEnded({ jti: undefined }, ended));
  });
}

test("a session has ended if its own ID is in the list", () => {
  const ended = endedSessionsIn('[["a",1],["undefined",1],["",1]]');
  assert.equal(isAmongEnded({ jti: "a" }, ended), true);
  assert.equal(isAmongEnded({ jti: "b" }, ended), false);
  assert.equal(isAmongEnded({ jti: undefined }, ended), false);
});
