import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SETUP_FORM, startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Which tokens match: `test/features/setup/setup-token.test.ts`. */
test("accepts the token of the file, trimmed, and deletes the file", async (t) => {
  const gate = await startGate(t);
  const file = " \r\n\tclé \u{1f511} \n\n";
  writeFileSync(gate.setupTokenFile, file);
  for (const token of ["", " ", "CLÉ \u{1f511}", "clé", "clé\u{1f511}", "clé \u{1f511}\0"]) {
    const answer = await gate.send("/setup", { form: { ...SETUP_FORM, token } });
    assert.equal(answer.status, 403, JSON.stringify(token));
  }
  assert.equal((await gate.send("/setup", { form: SETUP_FORM })).status, 403, "without the field");
  assert.equal(readFileSync(gate.setupTokenFile, "utf8"), file);
  const answer = await gate.send("/setup", {
    form: { ...SETUP_FORM, token: "\tclé \u{1f511}\r\n" },
  });
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.ok(!existsSync(gate.setupTokenFile));
});

test("the file may be in any folder, and may be a symbolic link", async (t) => {
  const folder = await tempDir(t);
  writeFileSync(join(folder, "real"), "s3cret");
  symlinkSync(join(folder, "real"), join(folder, "link"));
  const gate = await startGate(t, { setupTokenFile: join(folder, "link") });
  assert.equal((await gate.send("/setup", { form: SETUP_FORM })).status, 403);
  const answer = await gate.send("/setup", { form: { ...SETUP_FORM, token: "s3cret" } });
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.ok(!existsSync(join(folder, "link")));
});

test("reads the file at every setup, so a file that appears later is required", async (t) => {
  const gate = await startGate(t);
  assert.doesNotMatch((await gate.send("/setup")).body, /name="token"/);
  writeFileSync(gate.setupTokenFile, "late");
  assert.match((await gate.send("/setup")).body, /name="token"/);
  assert.equal((await gate.send("/setup", { form: SETUP_FORM })).status, 403);
  writeFileSync(gate.setupTokenFile, "later still");
  assert.equal((await gate.send("/setup", { form: { ...SETUP_FORM, token: "late" } })).status, 403);
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
