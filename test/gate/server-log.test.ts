import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { createServerLog } from "../../src/gate/server-log.ts";
import { getErrorCode } from "../../src/lib/fault.ts";
import { send } from "../support/client.ts";
import { startCommand } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

/** What a terminal shows of a line. */
function shownOnTerminal(t: TestContext, message: string, fields: object): string {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2030, 0, 31, 18, 5, 9) });
  let shown = "";
  const write = (text: string) => (shown += text);
  createServerLog("warn", { isTTY: true, write }).warn(fields, message);
  return stripVTControlCharacters(shown);
}

test("a readable line has the time, the level, the message and the fields", (t) => {
  const shown = shownOnTerminal(t, "domain setup failed", { domain: "a.b", waiting: 3 });
  assert.equal(shown, '18:05:09 WARN  domain setup failed domain="a.b" waiting=3\n');
});

test("a readable line shows the URL of the gate once", (t) => {
  const url = "http://127.0.0.1:3000";
  const shown = shownOnTerminal(t, `listens on ${url}`, { url });
  assert.match(shown, /listens on http:\/\/127.0.0.1:3000\n$/);
});

test("text from outside can neither control the terminal nor forge a line", (t) => {
  const domain = "a.b\n00:00:00 INFO  all is well\u001b[2J\u009b1m\u202e";
  const shown = shownOnTerminal(t, "failed\r\u009b2J", { domain });
  assert.equal(
    shown,
    '18:05:09 WARN  failed\\u{d}\\u{9b}2J domain="a.b\\n00:00:00 INFO  all is well\\u001b[2J\\u{9b}1m\\u{202e}"\n',
  );
});

test("shows the stack of an error with its lines, and escapes control characters", (t) => {
  const stack = "Error: \u001b[2Jbroken\n    at one\n    at two";
  const err = Object.assign(new Error("broken"), { stack });
  const shown = shownOnTerminal(t, "request failed", { err });
  const expected =
    "18:05:09 WARN  request failed Error: \\u{1b}[2Jbroken\n    at one\n    at two\n";
  assert.equal(shown, expected);
});

/** The secrets of the account below, which the log must not contain. */
const SECRETS = {
  AUTH_SECRET: "the-signing-secret-of-this-test",
  setupToken: "the-setup-token-of-this-test",
  wrongToken: "a-wrong-setup-token-that-was-tried",
  password: "the-first-password-of-this-test",
  wrongPassword: "a-wrong-password-that-was-tried",
  newPassword: "the-second-password-of-this-test",
};

test("the server log is JSON lines without a secret", async (t) => {
  const dataDir = await tempDir(t);
  const tokenFile = join(dataDir, "token");
  await writeFile(tokenFile, SECRETS.setupToken);
  const gate = await startServe(t, {
    DATA_DIR: dataDir,
    AUTH_SECRET: SECRETS.AUTH_SECRET,
    SETUP_TOKEN_FILE: tokenFile,
    LOG_LEVEL: "debug",
    DOMAIN_SETUP_COMMAND: "false",
  });
  const { setupToken, wrongToken, password, wrongPassword, newPassword } = SECRETS;
  const post = (path: string, form: Readonly<Record<string, string>>, session?: string) =>
    send(`${gate.url}${path}`, { form, session });
  const first = {
    username: "owner",
    password,
    confirm: password,
    domain: "a.b",
    token: setupToken,
  };

  assert.equal((await send(`${gate.url}/setup?token=${setupToken}`)).status, 200);
  assert.equal((await post("/setup", { ...first, token: wrongToken })).status, 403);
  assert.equal((await post("/setup", { ...first, confirm: wrongPassword })).status, 422);
  const { session: atSetup = "" } = await post("/setup", first);
  await gate.shows(/domain setup failed/);

  assert.equal((await post("/login", { username: "owner", password: wrongPassword })).status, 303);
  const { session: atSignIn = "" } = await post("/login", { username: "owner", password });
  const change = { new_password: newPassword, confirm_password: newPassword };
  const wrong = { ...change, current_password: wrongPassword };
  assert.equal((await post("/account/password", wrong, atSignIn)).status, 422);
  const right = { ...change, current_password: password };
  assert.equal((await post("/account/password", right, atSignIn)).status, 303);
  assert.equal((await post("/login", { username: "owner", password: newPassword })).location, "/");
  assert.equal((await send(`${gate.url}/`, { session: `${atSetup}x` })).location, "/login");
  assert.equal((await post("/logout", {}, atSignIn)).status, 303);
  execute(join(dataDir, "latchkey.db"), "ALTER TABLE latchkey_users RENAME TO hidden");
  assert.equal((await post("/login", { username: "owner", password })).status, 500);

  gate.child.kill("SIGTERM");
  const { stdout, stderr } = await gate.ended;
  assert.match(stdout, /request failed[\s\S]*stopped/, "the log tells of all this");
  for (const line of stdout.trimEnd().split("\n")) {
    const { level, time, msg } = JSON.parse(line);
    assert.match(level, /^(debug|info|warn|error)$/);
    assert.equal(new Date(time).toISOString(), time);
    assert.equal(typeof msg, "string");
  }
  assert.ok(atSetup.length > 100 && atSignIn.length > 100, "there were sessions");
  for (const [what, secret] of Object.entries({ ...SECRETS, atSetup, atSignIn })) {
    assert.ok(!`${stdout}${stderr}`.includes(secret), `${what} is in the log`);
  }
});

/** The writing end of a pipe as the output of a log, and a function that reads all that is in it. */
async function openPipe(t: TestContext) {
  const pipe = join(await tempDir(t), "pipe");
  execFileSync("mkfifo", [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(fd));
  const chunk = Buffer.alloc(1_000_000);
  const read = () => {
    try {
      return chunk.toString("utf8", 0, readSync(fd, chunk));
    } catch (error) {
      if (getErrorCode(error) === "EAGAIN") return "";
      throw error;
    }
  };
  return { out: { fd, write: () => assert.fail() }, read };
}

test("a log that nobody reads drops and counts lines", async (t) => {
  const { out, read } = await openPipe(t);
  const log = createServerLog("info", out);
  const padding = "x".repeat(500);
  for (let n = 1; n <= 5_000; n += 1) log.info({ n, padding }, "a line");
  let text = read();
  log.info({ n: 5_001 }, "a line");
  for (let more = read(); more !== ""; more = read()) {
    text += more;
    void log.finish();
  }
  const lines = text.match(/.+/g)?.map((line) => JSON.parse(line)) ?? [];
  const written = lines.filter(({ msg }) => msg === "a line");
  assert.deepEqual(
    written.slice(0, -1).map(({ n }) => n),
    Array.from({ length: written.length - 1 }, (_, at) => at + 1),
  );
  assert.ok(written.length < 5_000, `${written.length}`);
  const [{ level, dropped } = {}] = lines.filter(({ msg }) => msg !== "a line");
  assert.deepEqual([level, dropped], ["warn", 5_001 - written.length]);
  assert.equal(written.at(-1)?.n, 5_001);
});

test("lines that wait for their reader are written without another line", async (t) => {
  const { out, read } = await openPipe(t);
  const log = createServerLog("info", out);
  for (let n = 1; n <= 1_000; n += 1) log.info({ n, padding: "x".repeat(200) }, "a line");
  let text = "";
  await eventually(async () => {
    text += read();
    return text.split("\n").length === 1_001 || undefined;
  });
});

test("says how many lines a full disk has lost, once it has room again", async (t) => {
  const file = join(await tempDir(t), "log");
  const full = openSync("/dev/full", "w");
  t.after(() => closeSync(full));
  const _handle = { fd: full };
  const log = createServerLog("info", { fd: full, _handle, write: () => assert.fail() });
  for (let n = 1; n <= 10; n += 1) log.info({ n }, "a line");
  const fd = openSync(file, "w");
  t.after(() => closeSync(fd));
  _handle.fd = fd;
  log.info({ n: 11 }, "a line");
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ dropped, n }) => dropped ?? n),
    [10, 11],
  );
});

test("LOG_LEVEL=warn omits info lines", async (t) => {
  const env = { DATA_DIR: await tempDir(t), PORT: "0", LOG_LEVEL: "warn" };
  const gate = startCommand(["serve"], { env });
  await gate.shows(/development secret/);
  gate.signal("SIGTERM");
  const { stdout, code } = await gate.ended;
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /"level":"info"/);
});
