import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { isSetupTokenExpected, matchesSetupToken } from "../../src/features/setup/setup-token.ts";
import { deleteTokenFile, readTokenFile } from "../../src/gate/setup-token-file.ts";
import { trimWhiteSpace } from "../../src/lib/white-space.ts";
import { fileWith, tempDir } from "../support/temp-dir.ts";

const NOT_REGULAR = "it is not a regular file";

/** What is at the path, how it is created, and why an existing one cannot be read. */
const noFile: Readonly<
  Record<string, readonly [make: (path: string) => Promise<unknown>, reason?: string]>
> = {
  nothing: [async () => {}],
  "a folder": [(path) => mkdir(path), NOT_REGULAR],
  "a named pipe": [async (path) => execFileSync("mkfifo", [path]), NOT_REGULAR],
  "a broken link": [(path) => symlink(`${path}-gone`, path), "it is a broken symbolic link"],
  "a link to itself": [(path) => symlink(path, path), "ELOOP"],
  "a link to a device": [(path) => symlink("/dev/zero", path), NOT_REGULAR],
};

for (const [what, [make, reason]] of Object.entries(noFile)) {
  test(`finds no token with ${what} in place of the token file, and says why`, async (t) => {
    const path = join(await tempDir(t), "setup-token");
    await make(path);
    assert.deepEqual(await readTokenFile(path), reason === undefined ? {} : { unreadable: reason });
  });
}

test("finds no token at a socket or a path that is too long", async (t) => {
  const dir = await tempDir(t);
  const socket = join(dir, "setup-token");
  const server = createServer().listen(socket);
  await once(server, "listening");
  t.after(() => server.close());
  assert.equal((await readTokenFile(socket)).text, undefined);
  assert.deepEqual(await readTokenFile(join(dir, "x".repeat(300))), {});
});

const SPACE = " \r\n\t".repeat(50_000);
const LONGEST = `${"é".repeat(32_767)} x`;

/** What is in the file, and which token a form needs: none at all, or one that no form can have. */
const contents: readonly (readonly [
  what: string,
  content: string | Uint8Array,
  token: string | "none required" | "none matches",
])[] = [
  ["is empty", "", "none required"],
  ["has 200 KB of white space", SPACE, "none required"],
  ["has a token between next-line characters", "\u0085Schlüssel\u0085\n", "Schlüssel"],
  ["has next-line characters only", "\u0085\u0085", "none required"],
  ["has a token after a byte order mark", "\ufeffSchlüssel\r\n", "Schlüssel"],
  ["has a token within 400 KB of white space", `${SPACE}two words${SPACE}`, "two words"],
  ["has the longest token that a form can have", `${LONGEST}\n`, LONGEST],
  ["is not UTF-8", Buffer.from([0x74, 0xff, 0xfe]), "none matches"],
  ["ends within a character", Buffer.from([0x74, 0xc3]), "none matches"],
];

for (const [what, content, token] of contents) {
  test(`compares a token file that ${what}`, async (t) => {
    const path = await fileWith(t, content);
    const { text: stored } = await readTokenFile(path);
    assert.equal(isSetupTokenExpected(stored), token !== "none required");
    assert.equal(matchesSetupToken(stored, ` ${token}`), token !== "none matches");
    const text = content.toString();
    const trimmed = trimWhiteSpace(text);
    const others = ["", text, text.slice(0, 65_536), trimmed.slice(0, -1), "t\ufffd", "\ufffd"];
    for (const given of others.filter((one) => trimWhiteSpace(one) !== token)) {
      assert.equal(matchesSetupToken(stored, given), token === "none required", given.slice(0, 9));
    }
  });
}

test("deletes the file but no folder, and succeeds when it does not exist", async (t) => {
  const dir = await tempDir(t);
  const path = join(dir, "setup-token");
  await writeFile(path, "the token");
  await deleteTokenFile(path);
  assert.deepEqual(await readdir(dir), []);
  await deleteTokenFile(path);
  await deleteTokenFile(join(dir, "no/such/folder/setup-token"));
  await writeFile(path, "a file");
  await deleteTokenFile(join(path, "setup-token"));
  assert.deepEqual(await readTokenFile(join(path, "setup-token")), {});
  await assert.rejects(deleteTokenFile(dir), "it is a folder");
  assert.deepEqual(await readdir(dir), ["setup-token"]);
});
