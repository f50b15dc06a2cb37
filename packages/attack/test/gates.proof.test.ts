import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startNode } from "../../../test/support/process.ts";

const MAIN = fileURLToPath(new URL("../gates/main.ts", import.meta.url));

const leftovers = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("latchkey-attack-"));

test("runs every attack on two gates, finds nothing and leaves nothing behind", async (t) => {
  const before = await leftovers();
  const { code, stdout, stderr } = await startNode(t, ["--", MAIN, "170"], {}).ended;
  assert.deepEqual(stdout.match(/^(FAIL|\?).*(\n {5}.*)*$/gm), null);
  assert.equal(stdout.match(/^pass /gm)?.length, 64);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^running 45 attacks on 2 gates, for 170 s at most$/m);
  assert.deepEqual(
    (await leftovers()).filter((name) => !before.includes(name)),
    [],
  );
});
