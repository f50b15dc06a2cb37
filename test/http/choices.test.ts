import assert from "node:assert/strict";
import { test } from "node:test";
import { splitNames } from "../../src/http/choices.ts";

test("splits a typed list at spaces, lines and the commas of every keyboard", () => {
  for (const text of ["a,b", " a, b ", "a b", "a，b", "a、b", "a､b", "a، b", "a\u3000b", "a\r\nb"])
    assert.deepEqual(splitNames(text), ["a", "b"], text);
});

test("a list of separators alone differs from a name, and names nothing", () => {
  for (const text of ["", " ", ",", "、，", " , "])
    assert.ok(
      splitNames(text).every((name) => name === ""),
      text,
    );
});
