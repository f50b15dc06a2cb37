import assert from "node:assert/strict";
import { test } from "node:test";
import { tempDir } from "../support/temp-dir.ts";
import { entries, namesIn, readDeclarations } from "./declarations.ts";

test("the package exports every type that the types of its exports name", async (t) => {
  const { exported, declarationOf } = await readDeclarations(await tempDir(t));
  assert.ok(exported.length > 80 && entries.size > 8, "finds exports");
  const missing = exported.flatMap((one) =>
    namesIn(one)
      .map((name) => declarationOf(one.file, name))
      .filter((named) => named !== undefined && !exported.includes(named))
      .map((named) => `${one.name} names ${named?.name} of ${named?.file}`),
  );
  assert.deepEqual(missing, []);
});
