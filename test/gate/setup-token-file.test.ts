import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, rmdir, symlink, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setupTokenFile, writeSetupToken } from "../../src/gate/setup-token-file.ts";
import { SETUP_FORM, startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const NOT_REGULAR = "it is not a regular file";

/** What is at the path, how it is created, and why an existing one cannot be read. */
const noFile: readonly (readonly [
  what: string,
  make: (path: string) => Promise<unknown> | undefined,
  reason?: string,
])[] = [
  ["nothing", () => undefined],
  ["a folder", (path) => mkdir(path), NOT_REGULAR],
  ["a named pipe without a writer", async (path) => execFileSync("mkfifo", [path]), NOT_REGULAR],
  [
    "a broken symbolic link",
    (path) => symlink(`${path}-gone`, path),
    "it is a broken symbolic link",
  ],
  ["a symbolic link to itself", (path) => symlink(path, path), "it is a symbolic link to itself"],
  ["a symbolic link to a device", (path) => symlink("/dev/zero", path), NOT_REGULAR],
];

for (const [what, make, reason] of noFile) {
  test(`requires no token with ${what} in place of the token file, and reports an existing one`, async (t) => {
    const path = join(await tempDir(t), "setup-token");
    await make(path);
    const reasons: string[] = [];
    const source = setupTokenFile(path, (why) => reasons.push(why));
    assert.equal(await source.read(), undefined);
    assert.equal(await source.read(), undefined);
    assert.deepEqual(reasons, reason === undefined ? [] : [reason], "once");
  });
}

test("reports a token file again when it becomes unreadable again", async (t) => {
  const path = join(await tempDir(t), "setup-token");
  const reasons: string[] = [];
  const source = setupTokenFile(path, (why) => reasons.push(why));
  for (const _ of [1, 2]) {
    await mkdir(path);
    assert.equal(await source.read(), undefined);
    await rmdir(path);
    await writeFile(path, "the token");
    assert.equal(await source.read(), "the token");
    await unlink(path);
  }
  assert.deepEqual(reasons, [NOT_REGULAR, NOT_REGULAR]);
});

test("logs a token file that becomes unreadable while the gate runs", async (t) => {
  const gate = await startGate(t);
  await mkdir(gate.setupTokenFile);
  for (const _ of [1, 2]) assert.equal((await gate.send("/setup")).status, 200);
  const lines = gate.serverLog.filter(({ file }) => file === gate.setupTokenFile);
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [["warn", NOT_REGULAR]],
  );
});

test("requires no token with a socket in place of the token file, or a path that is too long", async (t) => {
  const dir = await tempDir(t);
  const socket = join(dir, "setup-token");
  const server = createServer().listen(socket);
  await once(server, "listening");
  t.after(() => server.close());
  assert.equal(await setupTokenFile(socket).read(), undefined);
  assert.equal(await setupTokenFile(join(dir, "x".repeat(300))).read(), undefined);
});

test("returns the text unchanged, even when it is empty", async (t) => {
  const path = join(await tempDir(t), "setup-token");
  for (const text of ["", " Schlüssel\r\n", "x".repeat(65_536)]) {
    await writeFile(path, text);
    assert.equal(await setupTokenFile(path).read(), text);
  }
});

/** A file that is there, but holds nothing that could be a token: setup must not open for it. */
const faulty: readonly (readonly [string, Uint8Array, string])[] = [
  ["too large", Buffer.alloc(65_537, "x"), "setup_token_too_long"],
  ["not UTF-8", Buffer.from([0x74, 0xff, 0xfe]), "setup_token_not_text"],
];

for (const [what, content, code] of faulty) {
  test(`refuses setup with a token file that is ${what}`, async (t) => {
    const gate = await startGate(t);
    await writeFile(gate.setupTokenFile, content);
    await assert.rejects(setupTokenFile(gate.setupTokenFile).read(), { name: "Fault", code });
    const page = await gate.send("/setup");
    const answer = await gate.send("/setup", { form: SETUP_FORM });
    assert.deepEqual([page.status, answer.status, answer.cookies], [500, 500, []]);
    await writeFile(gate.setupTokenFile, "");
    assert.ok(await gate.setUp(), "nothing was made meanwhile");
  });
}

test("deletes the file, and succeeds when it does not exist", async (t) => {
  const dir = await tempDir(t);
  const path = join(dir, "setup-token");
  await writeFile(path, "the token");
  await setupTokenFile(path).delete();
  assert.deepEqual(await readdir(dir), []);
  await setupTokenFile(path).delete();
  await setupTokenFile(join(dir, "no/such/folder/setup-token")).delete();
  await writeFile(path, "a file");
  await setupTokenFile(join(path, "setup-token")).delete();
  assert.deepEqual(await readdir(dir), ["setup-token"]);
});

test("a reader sees the old or the new token, never a part and never none", async (t) => {
  const path = join(await tempDir(t), "setup-token");
  const tokens = ["a".repeat(60_000), "b".repeat(60_000)] as const;
  await writeSetupToken(path, tokens[0], dirname(path));
  let writing = true;
  const writer = (async () => {
    for (let round = 0; round < 50; round += 1) {
      await writeSetupToken(path, tokens[round % 2 === 0 ? 1 : 0], dirname(path));
    }
    writing = false;
  })();
  const seen = new Set<string | undefined>();
  while (writing) seen.add((await setupTokenFile(path).read())?.trim());
  await writer;
  assert.deepEqual(
    [...seen].filter((token) => !tokens.some((one) => one === token)),
    [],
  );
  assert.equal(seen.size, 2);
});
