import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { ENTER, onTerminal, piped } from "../cli/user/terminal.ts";
import { countOf, inDatabase } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { runLatchkey } from "../support/process.ts";
import { startSmallDoor } from "./small-door.ts";

/** Paths and databases of others are none of its business. */
const attack = (t: TestContext, ...args: readonly string[]) => runLatchkey(t, ["attack", ...args]);

/** All that is stored, as one text. */
const contentsOf = (file: string): string =>
  inDatabase(file, (database) =>
    JSON.stringify([
      database.prepare("SELECT * FROM users").all(),
      database.prepare("SELECT * FROM log_entries").all(),
    ]),
  );

test("by itself it finds nothing, changes nothing, and leaves all sign-in attempts", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  await gate.logEntries(1);
  const before = contentsOf(gate.databaseFile);
  const { code, stdout } = await attack(t, gate.url);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^pass open-redirects +[\d,]+ requests tried, none led elsewhere$/m);
  assert.match(stdout, /^- {4}forged-tokens +left out: takes an account: --username$/m);
  assert.match(
    stdout,
    /^\d+ passed, 0 got through, \d+ left out, .* No sign-in attempt was used\.$/m,
  );
  assert.equal(contentsOf(gate.databaseFile), before);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal((await gate.signIn()).location, "/");
  }
  assert.equal((await gate.send("/", { session })).status, 200);
});

test("by itself it makes no account where there is none", async (t) => {
  const gate = await startGate(t);
  const { code, stdout } = await attack(t, gate.url);
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /setup-again +left out: there is no account yet: whoever comes first makes it/,
  );
  assert.deepEqual(
    [countOf(gate.databaseFile, "users"), countOf(gate.databaseFile, "log_entries")],
    [0, 0],
  );
});

test("with an account it says how many attempts it used, fewer than the limit, and changes nothing else", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const args = ["attack", gate.url, "--username", OWNER.username, "--password-stdin", "--json"];
  const { code, stdout } = await piped(t, args, {}, `${OWNER.password}\n`);
  const report = JSON.parse(stdout);
  assert.equal(code, 0, stdout);
  assert.equal(report.signInAttempts, 3);
  const outcomes = new Map(
    report.attacks.map((one: { name: string; outcome: string }) => [one.name, one.outcome]),
  );
  assert.equal(outcomes.get("forged-tokens"), "passed");
  assert.equal(outcomes.get("sign-in-limit"), "left-out");
  const entries = await gate.logEntries(2);
  assert.deepEqual(
    entries.map(({ type }) => type),
    ["signup", "signin"],
  );
  assert.equal((await gate.signIn()).location, "/");
});

test("the password is asked for at a terminal, and not shown", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const line = `latchkey attack ${gate.url} --username ${OWNER.username} --json >/dev/null`;
  const { code, shown } = await onTerminal(t, line, {}, [
    ["Password of owner: ", OWNER.password + ENTER],
  ]);
  assert.equal(code, 0, shown);
  assert.match(shown, /\d+ of \d+: forged-tokens/);
  assert.doesNotMatch(shown, new RegExp(OWNER.password));
});

test("a wrong password is one line and exit code 1", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const args = ["attack", gate.url, "--username", OWNER.username, "--password-stdin"];
  const { code, stdout, stderr } = await piped(t, args, {}, "wrong\n");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^latchkey: the sign-in was refused: [^\n]+\n$/);
});

test("what got through is named with what it means, as JSON too, and the exit code is 1", async (t) => {
  const { url } = await startSmallDoor(t, { isCrossSite: () => false, setupToken: "token" });
  const { code, stdout } = await attack(t, url);
  assert.equal(code, 1);
  assert.match(stdout, /^FAIL cross-site-forms +\d+ forms tried, 3 taken$/m);
  assert.match(stdout, /^ {5}A page you visit can sign you in as somebody else/m);
  assert.match(stdout, /^ {5}- POST \/logout with /m);
  const json = await attack(t, url, "--json");
  const report = JSON.parse(json.stdout);
  assert.deepEqual([json.code, report.gotThrough], [1, 1]);
  const failed = report.attacks.find((one: { outcome: string }) => one.outcome === "got-through");
  assert.equal(failed.name, "cross-site-forms");
  assert.match(failed.meaning, /^A page you visit/);
});

test("an attempt that a broken server counts is counted, and there is one at most", async (t) => {
  const { url, memory } = await startSmallDoor(t, { isCrossSite: () => false });
  memory.users.push({ id: "1", username: "owner", password: "x" });
  const { stdout } = await attack(t, url, "--json");
  assert.equal(JSON.parse(stdout).signInAttempts, 1);
  assert.deepEqual([...memory.attempts.values()], [1]);
});

test("nothing that a server answers reaches the terminal as it is", async (t) => {
  const obeyed = "\u001b[2J";
  const { url, memory } = await startSmallDoor(t, {
    returnTo: (target) => (target?.startsWith("//else") ? `${target}${obeyed}` : undefined),
  });
  memory.users.push({ id: "1", username: "owner", password: "x" });
  const { code, stdout } = await attack(t, url);
  assert.equal(code, 1);
  assert.match(stdout, /leads to \/\/elsewhere\.example\/\\u\{1b\}\[2J/);
  assert.ok(!stdout.includes("\u001b"));
});

test("--fresh tries everything on a server that nobody has set up", async (t) => {
  const { url, memory } = await startSmallDoor(t);
  const { code, stdout } = await attack(t, url, "--fresh");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^pass setup-race /m);
  assert.match(stdout, /^pass slow-bodies /m);
  assert.match(stdout, /^- {4}log-forging +left out: takes a server that it starts itself/m);
  assert.equal(memory.users.length, 1);
});

test("a server that has an account is not attacked with --fresh", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const { code, stdout, stderr } = await attack(t, gate.url, "--fresh");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(
    stderr,
    /^latchkey: --fresh takes a server on this machine that has no account yet, /,
  );
});

test("a path that is named as guarded and is not is wrong usage", async (t) => {
  const { url } = await startSmallDoor(t);
  const { code, stderr } = await attack(t, url, "--guarded", "/,/login");
  assert.deepEqual(
    [code, stderr],
    [2, "latchkey: /login does not lead to the sign-in, so it is not guarded\n"],
  );
});

/** Addresses without a Latchkey, and what the one line says of them. */
const elsewhere: Readonly<Record<string, readonly [body: string | undefined, line: RegExp]>> = {
  "where nobody listens": [undefined, /: nobody listens there\n$/],
  "of another server": ["<p>Hello</p>", / is no Latchkey\n$/],
  "of another sign-in": ['<form><input name="password"></form>', / is no Latchkey\n$/],
};

for (const [where, [body, line]] of Object.entries(elsewhere)) {
  test(`an address ${where} is one line and exit code 1`, async (t) => {
    const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const close = async (): Promise<void> => {
      server.close();
      await once(server, "close");
    };
    if (body === undefined) await close();
    else t.after(close);
    const { code, stdout, stderr } = await attack(t, `http://127.0.0.1:${port}`);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^latchkey: http:\/\/127\.0\.0\.1:\d+[^\n]+\n$/);
    assert.match(stderr, line);
  });
}
