import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);

test("every file and folder that ARCHITECTURE.md names is there", () => {
  const page = readFileSync(at("ARCHITECTURE.md"), "utf8");
  const sources = readdirSync(at("src"), { recursive: true, encoding: "utf8" });
  // After the first one, those of the same folder are named without it.
  const isThere = (path: string): boolean =>
    existsSync(at(path)) || sources.some((source) => `/${source}`.endsWith(`/${path}`));
  const named = [...page.matchAll(/`([a-z][\w-]*(?:\/[\w./-]+|\.ts))`/g)].map(
    ([, path = ""]) => path,
  );
  assert.ok(named.includes("src/core") && named.includes("set-up.ts"), "paths are found");
  assert.deepEqual(
    named.filter((path) => !isThere(path)),
    [],
  );
});
