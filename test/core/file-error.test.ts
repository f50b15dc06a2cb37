import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileErrorReason, fileErrorText, unlessMissing } from "../../src/core/file-error.ts";
import { tempDir } from "../support/temp-dir.ts";

test("names the action, the path and the reason of a failed file operation", async (t) => {
  const folder = await tempDir(t);
  const file = join(folder, "file");
  await writeFile(file, "");
  await assert.rejects(readFile(folder), (error) => {
    assert.equal(fileErrorText("read", folder, error), `cannot read ${folder}: it is a folder`);
    return true;
  });
  await assert.rejects(mkdir(join(file, "below")), (error) => {
    assert.equal(fileErrorReason(error), "not a folder");
    return true;
  });
  const denied = Object.assign(new Error("EACCES: denied, open '/secret'"), { code: "EACCES" });
  assert.equal(fileErrorReason(denied), "permission denied (run as the user that owns it)");
});

test("returns undefined for a file that does not exist, and throws any other error", async (t) => {
  const folder = await tempDir(t);
  await writeFile(join(folder, "file"), "text");
  assert.equal(await unlessMissing(readFile(join(folder, "none"))), undefined);
  assert.equal(await unlessMissing(readFile(join(folder, "file", "below"))), undefined);
  assert.equal(await unlessMissing(readFile(join(folder, "file"), "utf8")), "text");
  await assert.rejects(unlessMissing(readFile(folder)), { code: "EISDIR" });
});
