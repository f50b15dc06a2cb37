import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsUnder } from "../../src/http/paths.ts";

test("the home page is also at /account/ only where a proxy may give / to an app", () => {
  const homes = (home: string | null, standalone: boolean) =>
    pathsUnder("", home, standalone).homes;
  assert.deepEqual(homes("/", true), ["/", "/account/"]);
  assert.deepEqual(homes("/", false), ["/"]);
  assert.deepEqual(homes("/me", true), ["/me"]);
  assert.deepEqual(homes(null, true), []);
});
