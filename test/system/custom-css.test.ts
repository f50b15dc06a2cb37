import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { elements } from "../support/markup.ts";
import { startLatchkey, startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

type Make = (file: string) => Promise<unknown>;

const unusable: readonly (readonly [what: string, make: Make, says: RegExp])[] = [
  ["is missing", async () => {}, /cannot be read: no such file/],
  ["is a folder", (file) => mkdir(file), /not a regular file/],
  ["is a named pipe", async (file) => execFileSync("mkfifo", [file]), /not a regular file/],
  ["is too large", (file) => writeFile(file, "x".repeat(65_537)), /larger than 65536 bytes/],
  ["is not UTF-8", (file) => writeFile(file, Uint8Array.of(0xff)), /not valid UTF-8/],
];

for (const [what, make, says] of unusable) {
  test(`a gate whose CUSTOM_CSS ${what} does not start, with one line and exit code 2`, async (t) => {
    const DATA_DIR = await tempDir(t);
    const CUSTOM_CSS = join(DATA_DIR, "own.css");
    await make(CUSTOM_CSS);
    const env = { DATA_DIR, CUSTOM_CSS, PORT: "0" };
    const { code, stdout, stderr } = await startLatchkey(t, ["serve"], env).ended;
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^[^\n]*CUSTOM_CSS: [^\n]+\n$/);
    assert.match(stderr, says);
  });
}

test("a gate serves the file of CUSTOM_CSS as a style sheet, also compressed", async (t) => {
  const DATA_DIR = await tempDir(t);
  const css = `/* </style><script>alert(1)</script> */\n${"main { border-radius: 0; }\n".repeat(50)}`;
  await writeFile(join(DATA_DIR, "own.css"), css);
  const gate = await startServe(t, { DATA_DIR, CUSTOM_CSS: join(DATA_DIR, "own.css") });
  const { body } = await send(`${gate.url}/setup`);
  const sheets = elements(body, "link").filter(({ rel }) => rel === "stylesheet");
  assert.equal(sheets.length, 2);
  assert.doesNotMatch(body, /alert/);
  const answer = await fetch(`${gate.url}${sheets[1]?.href}`);
  assert.equal(await answer.text(), css);
  const { headers } = answer;
  assert.deepEqual(
    ["content-type", "x-content-type-options", "content-encoding"].map((name) => headers.get(name)),
    ["text/css; charset=utf-8", "nosniff", "gzip"],
  );
  assert.match(headers.get("cache-control") ?? "", /^public, max-age=31536000, immutable$/);
});
