import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "../../packages/attack/src/attacks.ts";
import { text } from "./pages.ts";

test("the page about attacks lists each attack in one pack", () => {
  const [, rest = ""] = text("docs/attack.md").split("\n## Packs\n");
  const [table = ""] = rest.split("\n\n");
  const listed = [...table.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => name);
  assert.deepEqual(listed.sort(), attacks.map(({ name }) => name).sort());
});
