import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import { hashText } from "../db/suite/samples.ts";
import { runCommand } from "../support/command.ts";
import { SECRET, startConfigured } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { startLatchkey } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { stateOf } from "./transfer/backup-place.ts";

interface Report {
  readonly outcome: string;
  readonly checks: readonly {
    readonly check: string;
    readonly outcome: string;
    readonly found: string;
    readonly remedy?: string;
  }[];
}

type Env = Readonly<Record<string, string>>;

async function report(env: Env, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(["doctor", "--json", ...args], { env });
  assert.equal(stderr, "");
  assert.match(stdout, /^\{[^\n]+\}\n$/, "one object and nothing else");
  const parsed: Report = JSON.parse(stdout);
  return { code, ...parsed };
}

/** A gate with an account, and the settings that select it. */
async function runningGate(t: TestContext) {
  const { gate } = await startConfigured(t);
  await gate.logEntries(1);
  const env = { AUTH_SECRET: SECRET, DATA_DIR: gate.dataDir, PORT: new URL(gate.url).port };
  return { ...gate, env };
}

test("passes every check of a correct gate with exit code 0", async (t) => {
  const { url, env } = await runningGate(t);
  const { code, outcome, checks } = await report(env, "--url", url);
  assert.deepEqual([code, outcome], [0, "ok"], JSON.stringify(checks));
  assert.deepEqual(
    checks.map(({ check, outcome: of, remedy }) => [check, of, remedy]),
    [
      ...["settings", "secret", "data folder", "disk", "database", "accounts", "gate"],
      ...["proxy", "address", "hosts", "cookie"],
    ].map((check) => [check, "ok", undefined]),
  );
});

test("reports invalid settings as findings and runs the other checks", async (t) => {
  const { env } = await runningGate(t);
  const wrong = { ...env, DATABASE_URL: "mysql://here", AUTH_SECRT: "x" };
  const { code, outcome: worst, checks } = await report(wrong);
  assert.deepEqual([code, worst], [1, "problem"]);
  const shown = checks.map((one) => [one.check, one.outcome, /^\w+/.exec(one.found)?.[0]]);
  assert.deepEqual(shown, [
    ["settings", "problem", "DATABASE_URL"],
    ["settings", "hint", "AUTH_SECRT"],
    ["secret", "ok", "AUTH_SECRET"],
    ["proxy", "ok", "no"],
  ]);
});

test("writes nothing in any state of the installation", async (t) => {
  const above = await tempDir(t);
  const DATA_DIR = join(above, "data");
  await report({ DATA_DIR });
  assert.deepEqual(await readdir(above), []);
  await mkdir(DATA_DIR, { mode: 0o700 });
  await report({ DATA_DIR, HTTPS_PORT: "3443" });
  assert.deepEqual(await readdir(DATA_DIR), []);

  const gate = await runningGate(t);
  const before = await stateOf(gate.dataDir);
  await report(gate.env, "--url", gate.url);
  assert.deepEqual(await stateOf(gate.dataDir), before);
});

test("checks the database of an app without a word about a gate", async (t) => {
  const folder = await tempDir(t);
  const store = await openSqlite({ file: join(folder, "accounts.db") });
  t.after(() => store.close());
  const args = ["doctor", "--database-url", "sqlite:accounts.db"];
  for (const found of [/hint +accounts +no account yet\n/, /ok +accounts +an account exists\n/]) {
    const { stdout } = await startLatchkey(t, args, {}, folder).ended;
    assert.match(stdout, found);
    assert.match(stdout, /^✓ ok .*\n✓ ok +disk .*\n✓ ok +database .* is intact.*\n.* accounts /);
    assert.doesNotMatch(stdout, /gate|AUTH_SECRET|data folder|--url/);
    const admin = { username: "ann", passwordHash: hashText("a"), groups: ["admins"] };
    await store.users.insertFirst(admin);
  }
  const ofGate = startLatchkey(t, args, { AUTH_SECRET: "weak" }, folder);
  assert.match((await ofGate.ended).stdout, /PROBLEM +secret /);
});

const server = await sharedPostgres();

test("prints no secret, password or token", async (t) => {
  const SECRETS = ["s3cret-0ne", "s3cret-two", "p4ssw0rd", "t0ken"] as const;
  const [secret, previous, password, token] = SECRETS;
  const DATA_DIR = await tempDir(t);
  await writeFile(join(DATA_DIR, "setup-token"), token, { mode: 0o644 });
  const databases = [
    `postgres://guest:${password}@127.0.0.1:${server.port}/nowhere`,
    `postgres://guest:${password}@127.0.0.1:1/nowhere?pasword=${password}`,
  ];
  for (const DATABASE_URL of databases) {
    const env = { AUTH_SECRET: secret, AUTH_SECRET_PREVIOUS: previous, DATABASE_URL, DATA_DIR };
    for (const args of [["doctor"], ["doctor", "--json", "--url", "http://127.0.0.1:1"]]) {
      const { code, stdout, stderr } = await runCommand(args, { env: { ...env, HOST: "0.0.0.0" } });
      assert.equal(code, 1);
      assert.match(stdout, /AUTH_SECRET can be guessed/);
      for (const hidden of SECRETS) assert.ok(!`${stdout}${stderr}`.includes(hidden), hidden);
    }
  }
});
