import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { isRoot } from "../cli/other-user.ts";
import { MAIN } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

if (isRoot) {
  test("reports a data folder on a read-only file system, and ok after the remedy", async (t) => {
    const DATA_DIR = await tempDir(t);
    // The mount exists in a namespace of its own, and ends with it.
    const script = `mount -t tmpfs -o ro,mode=700 none "$DATA_DIR"
      doctor() { "${process.execPath}" "${MAIN}" doctor --json; }
      first=$(doctor); second=$(
        eval "$(printf %s "$first" | sed -E 's/.*(mount -o remount[^;]*);.*/\\1/; s/\\\\"/"/g')"
        doctor
      )
      printf '%s\\n' "$first" "$second"`;
    const { stdout } = await promisify(execFile)("unshare", ["-rm", "sh", "-c", script], {
      env: { ...process.env, DATA_DIR },
    });
    const [before, after] = stdout.trim().split("\n").map(folderIn);
    assert.equal(before?.outcome, "problem");
    assert.match(before?.found, /is on a read-only file system$/);
    assert.equal(after?.outcome, "ok", after?.found);
  });
}

const folderIn = (report: string) =>
  JSON.parse(report).checks.find((one: { check: string }) => one.check === "data folder");
