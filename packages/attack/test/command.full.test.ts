import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { CTRL_C, ENTER, onTerminal } from "../../../test/cli/user/terminal.ts";
import { countOf, inDatabase } from "../../../test/support/database.ts";
import { OWNER, startGate } from "../../../test/support/gate.ts";
import { attacks } from "../src/attacks.ts";
import { MAIN, runCommand, runWithInput } from "./run-attack.ts";
import { startSampleServer } from "./sample-server.ts";

/** All users and log entries, as one string. */
const contentsOf = (file: string): string =>
  inDatabase(file, (database) =>
    JSON.stringify([
      database.prepare("SELECT * FROM latchkey_users").all(),
      database.prepare("SELECT * FROM latchkey_log").all(),
    ]),
  );

test("finds nothing, changes nothing and uses no sign-in attempt by default", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.logEntries(1);
  const before = contentsOf(gate.databaseFile);
  const { code, stdout } = await runCommand(t, gate.url);
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /^pass open-redirects +[\d,]+ requests tried, none redirected to another site$/m,
  );
  assert.match(stdout, /^- {4}forged-tokens +skipped: needs an account \(--username\)$/m);
  assert.match(stdout, /^- {4}proxy-headers +skipped: needs an account \(--username\)$/m);
  assert.match(stdout, /^\d+ passed, 0 got through, \d+ skipped, .* Used no sign-in attempt\.$/m);
  assert.equal(contentsOf(gate.databaseFile), before);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal((await gate.signIn()).location, "/");
  }
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
});

test("creates no account by default", async (t) => {
  const gate = await startGate(t);
  const { code, stdout } = await runCommand(t, gate.url);
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /setup-again +skipped: no account exists yet, so the setup is open by design/,
  );
  assert.deepEqual(
    [countOf(gate.databaseFile, "latchkey_users"), countOf(gate.databaseFile, "latchkey_log")],
    [0, 0],
  );
});

test("reports the attempts it used, fewer than the limit, and changes nothing", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const { code, stdout } = await runWithInput(
    t,
    `${OWNER.password}\n`,
    gate.url,
    "--username",
    OWNER.username,
    "--password-stdin",
    "--json",
  );
  const report = JSON.parse(stdout);
  assert.equal(code, 0, stdout);
  assert.equal(report.signInAttempts, 3);
  const outcomes = new Map(
    report.attacks.map((one: { name: string; outcome: string }) => [one.name, one.outcome]),
  );
  assert.equal(outcomes.get("forged-tokens"), "passed");
  assert.equal(outcomes.get("sign-in-limit"), "skipped");
  const entries = await gate.logEntries(2);
  assert.deepEqual(
    entries.map(({ type }) => type),
    ["signup", "signin"],
  );
  assert.equal((await gate.signIn()).location, "/");
});

test("asks for the password at a terminal without showing it", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const line = `"${process.execPath}" "${MAIN}" ${gate.url} --username ${OWNER.username} --json >/dev/null`;
  const { code, shown } = await onTerminal(t, line, {}, [
    ["Password of owner: ", OWNER.password + ENTER],
    // It needs the account, and nothing after it is of interest here.
    [": forged-tokens", CTRL_C],
  ]);
  assert.equal(code, 130, shown);
  assert.doesNotMatch(shown, new RegExp(OWNER.password));
});

test("reports a wrong password in one line with exit code 1", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const { code, stdout, stderr } = await runWithInput(
    t,
    "wrong\n",
    gate.url,
    "--username",
    OWNER.username,
    "--password-stdin",
  );
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^latchkey-attack: the sign-in failed: [^\n]+\n$/);
});

test("names what got through, escaped, also in JSON, with exit code 1", async (t) => {
  const clearScreen = "\u001b[2J";
  const { url, memory } = await startSampleServer(t, {
    isCrossSite: () => false,
    returnTo: (target) => (target?.startsWith("//else") ? `${target}${clearScreen}` : undefined),
  });
  memory.users.push({ id: "1", username: "owner", password: "x" });
  const { code, stdout } = await runCommand(t, url);
  assert.equal(code, 1);
  assert.match(stdout, /^FAIL cross-site-forms +\d+ forms tried, 4 accepted$/m);
  assert.match(stdout, /^ {5}A page you visit can sign you in as another user/m);
  assert.match(stdout, /^ {5}- POST \/logout with /m);
  assert.match(stdout, /redirects to \/\/elsewhere\.example\/\\u\{1b\}\[2J/);
  assert.ok(!stdout.includes("\u001b"));
  assert.deepEqual([...memory.attempts.values()], [1]);
  const json = await runCommand(t, url, "--json");
  const report = JSON.parse(json.stdout);
  assert.deepEqual([json.code, report.gotThrough, report.signInAttempts], [1, 2, 1]);
  const failed = report.attacks.find((one: { name: string }) => one.name === "cross-site-forms");
  assert.equal(failed.outcome, "got-through");
  assert.match(failed.meaning, /^A page you visit/);
});

test("runs everything with --fresh on a server without an account", async (t) => {
  const { url, memory } = await startSampleServer(t);
  const { code, stdout } = await runCommand(t, url, "--fresh", "--echo", "/echo");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^pass dns-rebinding /m);
  assert.match(stdout, /^pass proxy-headers /m);
  assert.match(stdout, /^pass setup-race /m);
  assert.match(stdout, /^pass slow-bodies /m);
  assert.match(stdout, /^- {4}log-forging +skipped: needs a server that the test starts itself/m);
  assert.equal(memory.users.length, 1);
});

test("refuses --fresh on a server that has an account", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const { code, stdout, stderr } = await runCommand(t, gate.url, "--fresh");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(
    stderr,
    /^latchkey-attack: --fresh needs a server on this machine that has no account yet; /,
  );
});

test("rejects a --guarded or --echo path that is not guarded as wrong usage", async (t) => {
  const { url } = await startSampleServer(t);
  for (const option of ["--guarded", "--echo"]) {
    const { code, stderr } = await runCommand(t, url, option, "/login");
    assert.deepEqual(
      [code, stderr],
      [2, "latchkey-attack: /login does not redirect to the sign-in, so it is not guarded\n"],
    );
  }
});

/** URLs without a supported sign-in, and the end of the error line. */
const unsupported: Readonly<Record<string, readonly [body: string | undefined, line: RegExp]>> = {
  "where no server listens": [undefined, /: connection refused\n$/],
  "of another server": [
    "<p>Hello</p>",
    / is not a Latchkey sign-in \(checked \/login and \/logout\)\n$/,
  ],
  "of another sign-in": [
    '<form><input name="password"></form>',
    / is not a Latchkey sign-in \(checked \/login and \/logout\)\n$/,
  ],
};

for (const [where, [body, line]] of Object.entries(unsupported)) {
  test(`reports a URL ${where} in one line with exit code 1`, async (t) => {
    const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const close = async (): Promise<void> => {
      server.close();
      await once(server, "close");
    };
    if (body === undefined) await close();
    else t.after(close);
    const { code, stdout, stderr } = await runCommand(t, `http://127.0.0.1:${port}`);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^latchkey-attack: http:\/\/127\.0\.0\.1:\d+[^\n]+\n$/);
    assert.match(stderr, line);
  });
}

test("describes every attack with --list, without a server", async (t) => {
  const { code, stdout, stderr } = await runCommand(t, "--list");
  assert.deepEqual([code, stderr], [0, ""]);
  for (const { name, about, meaning } of attacks) {
    assert.ok(stdout.includes(`${name}\n     ${about}\n     ${meaning}\n`), name);
  }
  assert.match(stdout, /^forged-tokens\n.*\n.*\n {5}needs an account \(--username\)$/m);
});

/** Command lines that are wrong, and what the one line on standard error says. */
const wrongUsage: readonly (readonly [args: readonly string[], line: RegExp])[] = [
  [
    [],
    /: expected one URL, for example https:\/\/auth\.example\.org \(see latchkey-attack --help\)/,
  ],
  [["auth.example.org"], /: expected one URL/],
  [["ftp://127.0.0.1"], /: expected one URL/],
  [["http://127.0.0.1:9", "http://127.0.0.1:9"], /: expected one URL/],
  [["http://127.0.0.1:9", "--password-stdin"], /: --password-stdin needs --username/],
  [["http://127.0.0.1:9", "--fresh", "--username", "o"], /: --fresh creates its own account/],
  [
    ["http://127.0.0.1:9", "--distrub"],
    /: Unknown option '--distrub' \(see latchkey-attack --help\)/,
  ],
  [["http://127.0.0.1:9", "--clients", "missing.json"], /: cannot read missing\.json: ENOENT/],
  [
    ["http://127.0.0.1:9", "--clients", "package.json"],
    /: the clients must be a JSON array such as/,
  ],
  [["http://127.0.0.1:9", "--second", "x"], /: --second is not an http or https URL/],
  [["http://127.0.0.1:9", "--username"], /: Option '--username <value>' argument missing/],
];

for (const [args, line] of wrongUsage) {
  test(`rejects "${args.join(" ")}" in one line with exit code 2`, async (t) => {
    const { code, stdout, stderr } = await runCommand(t, ...args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^latchkey-attack: [^\n]+\n$/);
    assert.match(stderr, line);
  });
}

test("prints its help and its version", async (t) => {
  for (const flag of ["--help", "-h"]) {
    const { code, stdout, stderr } = await runCommand(t, flag);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Usage: latchkey-attack URL \[options\]\n/);
    assert.ok(stdout.split("\n").every((line) => line.length <= 80));
  }
  assert.match((await runCommand(t, "--version")).stdout, /^\d+\.\d+\.\d+\n$/);
});
