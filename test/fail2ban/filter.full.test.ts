import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { send } from "../support/client.ts";
import { OWNER, SECRET, startGate } from "../support/gate.ts";
import { startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const FILTER = fileURLToPath(new URL("../../docs/fail2ban/latchkey.conf", import.meta.url));

/** How each line begins. */
const WARNING = { level: "warn", time: "2030-01-31T18:00:00.000Z" };

whereInstalled("fail2ban-regex", (program) => {
  /** The lines that the filter matches as failures. */
  async function found(folder: string, lines: readonly string[]): Promise<readonly string[]> {
    const log = join(folder, "latchkey.log");
    await writeFile(log, lines.map((line) => `${line}\n`).join(""));
    const { stdout } = await promisify(execFile)(program, ["--print-all-matched", log, FILTER]);
    const [, matched = ""] = /\|- Matched line\(s\):\n([\s\S]*?)`-/.exec(stdout) ?? [];
    return lines.filter((line) => matched.includes(`|  ${line}\n`));
  }

  test("matches exactly the failed and denied sign-ins of a server log", async (t) => {
    const gate = await startServe(t, {
      DATA_DIR: join(await tempDir(t), "data"),
      AUTH_SECRET: SECRET,
      TRUSTED_PROXIES: "127.0.0.1",
      SETUP_TOKEN: "off",
    });
    await send(`${gate.url}/setup`, { form: { ...OWNER, confirm: OWNER.password } });
    const signIn = (password: string, address: string) =>
      send(`${gate.url}/login`, {
        form: { ...OWNER, password },
        headers: { "X-Forwarded-For": address },
      });
    for (let n = 0; n < 6; n += 1) await signIn("wrong", "203.0.113.9");
    await signIn("wrong", "2001:db8::9");
    await signIn(OWNER.password, "203.0.113.10");
    await gate.shows(/2001:db8::9/);
    const lines = gate.stdout().trimEnd().split("\n");
    const failures = lines.filter((line) => /"sign-in (rejected|rate-limited)"/.test(line));
    assert.equal(failures.length, 7);
    assert.ok(lines.length > failures.length);
    assert.deepEqual(await found(await tempDir(t), lines), failures);
  });

  test("ignores sums, and refusals whose client may be innocent", async (t) => {
    const lines = [
      { more: 7, msg: "more requests refused within a minute" },
      { msg: "form of another site refused" },
      { msg: "unreadable form refused" },
      { msg: "forged session token refused" },
    ].map((more) => JSON.stringify({ ...WARNING, address: "203.0.113.9", ...more }));
    assert.deepEqual(await found(await tempDir(t), lines), []);
  });

  test("form fields cannot forge a line that bans another address", async (t) => {
    const forged = '"address":"192.0.2.1","msg":"sign-in rejected"}';
    const lines = [
      { path: `/x${forged}`, msg: "request failed" },
      { domain: `{${forged}`, msg: forged },
    ].map((more) => JSON.stringify({ ...WARNING, ...more }));
    assert.deepEqual(await found(await tempDir(t), lines), []);
  });
});

test("logs neither the username nor the password of a failed sign-in", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (let n = 0; n < 6; n += 1)
    await gate.signIn({ username: "typed here", password: "and here" });
  const log = JSON.stringify(gate.serverLog);
  assert.match(log, /sign-in rejected/);
  assert.match(log, /sign-in rate-limited/);
  assert.doesNotMatch(log, /typed here|and here/);
});
