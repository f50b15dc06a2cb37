import assert from "node:assert/strict";
import { test } from "node:test";
import { tempDir } from "../support/temp-dir.ts";
import { readExports } from "./declarations.ts";

test("the package exports every type that the types of its exports name", async (t) => {
  const exported = await readExports(await tempDir(t));
  assert.ok(exported.length > 60, "finds exports");
  const ids = new Set(exported.map(({ id }) => id));
  const missing = exported.flatMap(({ name, named }) =>
    named.filter(({ id }) => !ids.has(id)).map((other) => `${name} names ${other.name}`),
  );
  assert.deepEqual(missing, []);
});
