import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const FILE = new URL("../../recipes/recipe.schema.json", import.meta.url);

test("the path that begins a sign-in is a path of the app", () => {
  const { properties } = JSON.parse(readFileSync(FILE, "utf8"));
  const pattern = new RegExp(properties.start.pattern, "u");
  for (const path of ["/", "/auth/oidc", "/login?provider=oidc&next=%2F"])
    assert.match(path, pattern);
  for (const path of [
    "",
    "auth",
    "//evil.example",
    "/\\evil.example",
    "/a b",
    "/a\\b",
    "https://a/",
    "/a\n",
  ])
    assert.doesNotMatch(path, pattern, path);
});
