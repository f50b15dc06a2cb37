import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { packTar } from "../../scripts/release/tar.ts";
import { tempDir } from "../support/temp-dir.ts";

const EPOCH = 1_900_000_000;

test("tar unpacks files of every size with their modes and time", async (t) => {
  const folder = await tempDir(t);
  const contents = [0, 1, 511, 512, 513, 70_000].map((size) => Buffer.alloc(size, "x"));
  const files = contents.map((content, at) => ({ path: `a/${at}`, content, mode: 0o640 }));
  const entries = [{ path: "a", mode: 0o750 }, ...files];
  const input = packTar(entries, EPOCH);
  assert.equal(input.length % 512, 0);
  execFileSync("tar", ["-xpf", "-", "-C", folder], { input });
  for (const { path, content } of files) {
    assert.deepEqual(await readFile(join(folder, path)), content);
    const { mode, mtimeMs } = await stat(join(folder, path));
    assert.deepEqual([mode & 0o777, mtimeMs], [0o640, EPOCH * 1_000]);
  }
  assert.equal((await stat(join(folder, "a"))).mode & 0o777, 0o750);
});

test("tar lists owners", () => {
  const input = packTar([{ path: "data", mode: 0o700, owner: 65_532 }], EPOCH);
  const listed = execFileSync("tar", ["-tvf", "-", "--numeric-owner"], { input, encoding: "utf8" });
  assert.match(listed, /^drwx------ .*65532[/ ]+65532 .* data\/$/m);
});

test("tar takes paths of up to 100 bytes, and throws for a longer one", () => {
  const pack = (length: number) =>
    packTar([{ path: "x".repeat(length), content: Buffer.alloc(0), mode: 0o644 }], EPOCH);
  const listed = execFileSync("tar", ["-tf", "-"], { input: pack(100), encoding: "utf8" });
  assert.equal(listed, `${"x".repeat(100)}\n`);
  assert.throws(() => pack(101), /too long for tar/);
});
