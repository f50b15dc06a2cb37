import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  explainFileError,
  formatFileError,
  ignoreMissing,
  isDenied,
  isMissing,
} from "../../../src/lib/files/file-error.ts";
import { tempDir } from "../../support/temp-dir.ts";

const failed = (code: string): Error =>
  Object.assign(new Error(`${code}: failed, open '/secret'`), { code });

test("names the reason, with the path only in the whole message", () => {
  for (const [code, reason, kind] of [
    ["ENOENT", "no such file or folder", "missing"],
    ["ENOTDIR", "a file is in the place of a folder", "missing"],
    ["EACCES", "permission denied (run as the user that owns it)", "denied"],
    ["EPERM", "permission denied (run as the user that owns it)", "denied"],
    ["EIO", "EIO", "other"],
  ] as const) {
    const error = failed(code);
    assert.equal(explainFileError(error), reason);
    assert.equal(formatFileError("read", "/a/file", error), `cannot read /a/file: ${reason}`);
    assert.deepEqual([isMissing(error), isDenied(error)], [kind === "missing", kind === "denied"]);
  }
});

test("gives the message of an error without a code as the reason", () => {
  const error = new Error("closed");
  assert.equal(explainFileError(error), "closed");
  assert.deepEqual([isMissing(error), isDenied(error)], [false, false]);
});

test("returns undefined for a file that does not exist, and throws any other error", async (t) => {
  const folder = await tempDir(t);
  await writeFile(join(folder, "file"), "text");
  assert.equal(await ignoreMissing(readFile(join(folder, "none"))), undefined);
  assert.equal(await ignoreMissing(readFile(join(folder, "file", "below"))), undefined);
  assert.equal(await ignoreMissing(readFile(join(folder, "file"), "utf8")), "text");
  await assert.rejects(ignoreMissing(readFile(folder)), { code: "EISDIR" });
});
