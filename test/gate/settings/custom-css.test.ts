import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { styleSheet } from "../../../src/gate/settings/values.ts";
import { folderWith } from "../../support/pages.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { problems, settled } from "./settings-reading.ts";

const MAX_BYTES = 64 * 1024;

type Make = (file: string) => Promise<unknown>;

/** Files that are not used as a style sheet, how they are made, and why. */
const unusable: readonly (readonly [what: string, make: Make, problem: string])[] = [
  ["a missing file", async () => {}, "the file cannot be read: no such file or folder"],
  ["a folder", (file) => mkdir(file), "it is not a regular file"],
  [
    "a named pipe, without waiting for it",
    async (file) => execFileSync("mkfifo", [file]),
    "it is not a regular file",
  ],
  ["a device", (file) => symlink("/dev/zero", file), "it is not a regular file"],
  ["a link to itself", (file) => symlink(file, file), "the file cannot be read: ELOOP"],
  [
    "a file of more than 64 KiB",
    (file) => writeFile(file, "x".repeat(MAX_BYTES + 1)),
    "the file is larger than 65536 bytes",
  ],
  [
    "a file that is not UTF-8",
    (file) => writeFile(file, Uint8Array.from([0x61, 0xe4, 0x62])),
    "the file is not valid UTF-8",
  ],
];

for (const [what, make, problem] of unusable) {
  test(`CUSTOM_CSS refuses ${what}, and says why`, async (t) => {
    const file = join(await tempDir(t), "own.css");
    await make(file);
    assert.deepEqual(problems({ CUSTOM_CSS: file }), [`CUSTOM_CSS: ${problem}`]);
  });
}

test("CUSTOM_CSS is the content of the file, of up to 64 KiB, also through a link", async (t) => {
  const folder = await folderWith(t, { "own.css": "x".repeat(MAX_BYTES), "empty.css": "" });
  await symlink(join(folder, "own.css"), join(folder, "link.css"));
  const read = (name: string) => styleSheet.parse(join(folder, name), {});
  assert.deepEqual([read("own.css")?.length, read("link.css")?.length], [MAX_BYTES, MAX_BYTES]);
  assert.equal(read("empty.css"), "");
  const { customCss } = settled({ CUSTOM_CSS: join(folder, "own.css") });
  assert.equal(customCss?.length, MAX_BYTES);
});

test("CUSTOM_CSS cannot be the file of the setup token", async (t) => {
  const file = join(await folderWith(t, { token: "a {}" }), "token");
  const found = problems({ CUSTOM_CSS: file, SETUP_TOKEN_FILE: file });
  assert.match(found.join("\n"), /SETUP_TOKEN_FILE and CUSTOM_CSS name the same file/);
});
