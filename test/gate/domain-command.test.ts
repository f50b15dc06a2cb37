import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { domainCommand } from "../../src/gate/domain-command.ts";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A shell script in a folder of its own, which is `$HERE` to it. */
async function script(t: TestContext, ...lines: readonly string[]) {
  const dir = await tempDir(t);
  const program = join(dir, "set up domain");
  await writeFile(program, ["#!/bin/sh", `HERE='${dir}'`, ...lines, ""].join("\n"), {
    mode: 0o755,
  });
  const file = (name: string): string => join(dir, name);
  return { program, file, text: (name: string) => readFile(file(name), "utf8") };
}

const RECORDS = 'printf "%s;" "$#" "$@" > "$HERE/got.part"; mv "$HERE/got.part" "$HERE/got"';

test("passes the domain as the only argument, without a shell", async (t) => {
  const { program, file, text } = await script(t, RECORDS);
  for (const domain of [
    "home.example.org",
    "a.b;touch$IFS$HERE/x",
    "$(id).b",
    "a.b\n*",
    "a.b&'\"",
  ]) {
    await domainCommand(program, {})(domain);
    assert.equal(await text("got"), `1;${domain};`);
  }
  assert.equal(existsSync(file("x")), false);
});

test("rejects a domain that looks like an option, without running the program", async (t) => {
  const { program, file } = await script(t, RECORDS);
  await assert.rejects(domainCommand(program, {})("--config=/a.b"), { code: "domain_refused" });
  assert.equal(existsSync(file("got")), false);
});

const failures: readonly (readonly [string, RegExp])[] = [
  ["exit 3", /^the domain setup command ended with 3$/],
  ["echo 'no certificate' >&2; exit 1", /^the domain setup command ended with 1: no certificate$/],
  ["kill -KILL $$", /^the domain setup command ended with SIGKILL$/],
];

for (const [line, message] of failures) {
  test(`reports a program that ends with \`${line}\` as failed, with its output`, async (t) => {
    const { program } = await script(t, line);
    await assert.rejects(domainCommand(program, {})("a.b"), {
      code: "domain_setup_failed",
      message,
    });
  });
}

test("keeps the end of long output", async (t) => {
  const { program } = await script(t, "seq 1 100000 >&2; seq 1 100000; exit 1");
  await assert.rejects(domainCommand(program, {})("a.b"), ({ message }: Error) => {
    assert.match(message, /99999\n100000$/);
    assert.ok(message.length < 2_100, `${message.length} characters`);
    return true;
  });
});

test("reports a program that was deleted since the start as failed", async (t) => {
  const { file } = await script(t);
  await assert.rejects(domainCommand(file("gone"), {})("a.b"), { code: "ENOENT" });
});

test("setup starts the program with the trimmed domain without waiting for it", async (t) => {
  const { program, file, text } = await script(t, 'read line < "$HERE/pipe"', RECORDS);
  execFileSync("mkfifo", [file("pipe")]);
  const pipe = await open(file("pipe"), "r+");
  t.after(() => pipe.close());
  const gate = await startGate(t, { domainSetupCommand: program });
  assert.ok(await gate.setUp({ domain: "  home.example.org\t" }));
  assert.equal(existsSync(file("got")), false);
  await pipe.write("go on\n");
  const got = await eventually(() => (existsSync(file("got")) ? text("got") : undefined));
  assert.equal(got, "1;home.example.org;");
});

test("logs a program that fails, and setup still succeeds", async (t) => {
  const { program } = await script(t, "echo 'no \u001b[2J certificate' >&2; exit 9");
  const gate = await startGate(t, { domainSetupCommand: program });
  assert.ok(await gate.setUp({ domain: "home.example.org" }));
  const line = await eventually(() =>
    gate.serverLog.find(({ msg }) => msg === "domain setup failed"),
  );
  assert.equal(line.level, "error");
  assert.equal(line.domain, "home.example.org");
  assert.match(String(line.reason), /ended with 9/);
});

test("does not start the program for an invalid domain or a refused setup", async (t) => {
  const { program, file } = await script(t, 'echo "$1" >> "$HERE/ran"');
  const gate = await startGate(t, { domainSetupCommand: program });
  const form = {
    username: "owner",
    password: "correct horse",
    confirm: "other",
    domain: "a.refused",
  };
  assert.equal((await gate.send("/setup", { form })).status, 422);
  assert.ok(await gate.setUp({ domain: "user@a.b" }));
  assert.equal(
    (await gate.send("/setup", { form: { ...form, confirm: form.password } })).status,
    303,
  );
  const { program: last } = await script(t, `echo last >> '${file("ran")}'`);
  await domainCommand(last, {})("a.b");
  assert.equal(await readFile(file("ran"), "utf8"), "last\n");
});
