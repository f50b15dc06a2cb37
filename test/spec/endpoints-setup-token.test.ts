import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OWNER, startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const FORM = { ...OWNER, confirm: OWNER.password };

/** Which tokens match: `test/core/setup/setup-token.test.ts`. */
test("accepts the token of the file, trimmed, and deletes the file", async (t) => {
  const gate = await startGate(t);
  const file = " \r\n\tclé \u{1f511} \n\n";
  writeFileSync(gate.setupTokenFile, file);
  for (const token of ["", " ", "CLÉ \u{1f511}", "clé", "clé\u{1f511}", "clé \u{1f511}\0"]) {
    const answer = await gate.send("/setup", { form: { ...FORM, token } });
    assert.equal(answer.status, 403, JSON.stringify(token));
  }
  assert.equal((await gate.send("/setup", { form: FORM })).status, 403, "without the field");
  assert.equal(readFileSync(gate.setupTokenFile, "utf8"), file);
  const answer = await gate.send("/setup", { form: { ...FORM, token: "\tclé \u{1f511}\r\n" } });
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.ok(!existsSync(gate.setupTokenFile));
});

const unchecked: readonly { readonly what: string; readonly make: (path: string) => void }[] = [
  { what: "absent", make: () => {} },
  { what: "empty", make: (path) => writeFileSync(path, "") },
  { what: "only whitespace", make: (path) => writeFileSync(path, " \r\n\t\n") },
  { what: "a folder", make: (path) => mkdirSync(path) },
  { what: "a named pipe", make: (path) => execFileSync("mkfifo", [path]) },
  { what: "a dangling link", make: (path) => symlinkSync("/nonexistent/token", path) },
  { what: "a link to itself", make: (path) => symlinkSync(path, path) },
];

for (const { what, make } of unchecked) {
  test(`requires no token if the token file is ${what}`, async (t) => {
    const gate = await startGate(t);
    make(gate.setupTokenFile);
    const page = await gate.send("/setup");
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.body, /name="token"/);
    const answer = await gate.send("/setup", { form: { ...FORM, token: "anything" } });
    assert.deepEqual([answer.status, answer.location], [303, "/"]);
    const entries = await gate.logEntries(1);
    assert.equal(entries.at(-1)?.type, "signup");
  });
}

test("requires no token if the folder of the token file is not a folder", async (t) => {
  const file = join(await tempDir(t), "file");
  writeFileSync(file, "");
  const gate = await startGate(t, { setupTokenFile: join(file, "setup-token") });
  const answer = await gate.send("/setup", { form: FORM });
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
});

test("the file may be in any folder, and may be a symbolic link", async (t) => {
  const folder = await tempDir(t);
  writeFileSync(join(folder, "real"), "s3cret");
  symlinkSync(join(folder, "real"), join(folder, "link"));
  const gate = await startGate(t, { setupTokenFile: join(folder, "link") });
  assert.equal((await gate.send("/setup", { form: FORM })).status, 403);
  const answer = await gate.send("/setup", { form: { ...FORM, token: "s3cret" } });
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.ok(!existsSync(join(folder, "link")));
});

for (const [what, content] of [
  ["is not UTF-8", Buffer.from([0x73, 0xff, 0xfe, 0x0a])],
  ["is larger than every form", Buffer.alloc(70_000, "x")],
] as const) {
  test(`accepts no token if the token file ${what}`, async (t) => {
    const gate = await startGate(t);
    writeFileSync(gate.setupTokenFile, content);
    assert.match((await gate.send("/setup")).body, /name="token"/);
    for (const token of ["", "s", "s\ufffd\ufffd", "x".repeat(60_000)]) {
      const answer = await gate.send("/setup", { form: { ...FORM, token } });
      assert.deepEqual([answer.status, answer.cookies], [403, []]);
    }
    assert.deepEqual(readFileSync(gate.setupTokenFile), content);
  });
}

test("reads the file at every setup, so a file that appears later is required", async (t) => {
  const gate = await startGate(t);
  assert.doesNotMatch((await gate.send("/setup")).body, /name="token"/);
  writeFileSync(gate.setupTokenFile, "late");
  assert.match((await gate.send("/setup")).body, /name="token"/);
  assert.equal((await gate.send("/setup", { form: FORM })).status, 403);
  writeFileSync(gate.setupTokenFile, "later still");
  assert.equal((await gate.send("/setup", { form: { ...FORM, token: "late" } })).status, 403);
  await gate.setUp({ token: "later still" });
});

test("the setup link fills its token into the form, escaped, and no other field", async (t) => {
  const gate = await startGate(t);
  writeFileSync(gate.setupTokenFile, "s3cret");
  const link = `/setup?token=${encodeURIComponent('"><b>')}&username=planted&domain=planted`;
  const { body } = await gate.send(link);
  assert.match(body, /name="token" value="&quot;&gt;&lt;b&gt;"/);
  assert.doesNotMatch(body, /s3cret|planted/);
});

test("reports a file that cannot be deleted, and keeps the new account", async (t) => {
  const gate = await startGate(t);
  mkdirSync(gate.setupTokenFile);
  const session = await gate.setUp();
  assert.equal((await gate.send("/", { session })).status, 200);
  const warnings = gate.serverLog.filter(({ level }) => level === "warn").map(({ msg }) => msg);
  assert.deepEqual(warnings, [
    "the setup token file cannot be read: setup requires no token",
    "cannot delete the used setup token",
  ]);
});
