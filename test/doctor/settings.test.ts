import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Check, examineSettings } from "../../src/doctor/check.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";
import { tempDir } from "../support/temp-dir.ts";

const checkOf = (name: string, settings: readonly string[]): Check => ({
  name,
  settings,
  run: async () => [],
});

const CHECKS: readonly Check[] = [
  checkOf("secret", ["AUTH_SECRET"]),
  checkOf("gate", ["HOST", "PORT"]),
  checkOf("database", ["DATA_DIR", "DATABASE_URL"]),
  checkOf("files", []),
];

type Values = Readonly<Record<string, string>>;

function examined(env: Values, envFile?: string) {
  const { findings, runnable } = examineSettings(readSettings({ flags: {}, envFile, env }), CHECKS);
  return {
    found: findings.map((one) => one.found),
    remedies: findings.map((one) => ("remedy" in one ? one.remedy : undefined)),
    skipped: CHECKS.filter((one) => !runnable.includes(one)).map(({ name }) => name),
  };
}

const wrong: readonly (readonly [Values, skipped: readonly string[]])[] = [
  [{}, []],
  [{ PORT: "http", AUTH_SECRET_FILE: "/nowhere" }, ["secret", "gate"]],
  [{ SHARED_LIMITER: "on" }, ["database"]],
  [{ LATCHKEY_PORT: "4000" }, []],
  [{ SETUP_TOKEN: "x" }, []],
];
for (const [env, skipped] of wrong) {
  const names = Object.keys(env).join(" and ") || "nothing";
  test(`with ${names} invalid, skips ${skipped.join(" and ") || "no check"}`, () => {
    assert.deepEqual(examined(env).skipped, skipped);
  });
}

test("reports an invalid setting with the usual message, and the skipped checks", () => {
  const { found, remedies } = examined({ PORT: "http" });
  assert.deepEqual(found, [
    `PORT="http" is invalid: expected a number from 0 (any free port) to 65535`,
  ]);
  assert.deepEqual(remedies, ["correct it, and run this again: it skipped gate"]);
  assert.deepEqual(examined({ LATCHKEY_PORT: "1" }).remedies, ["correct it"]);
});

test("gives a hint for a value that systemd reads in another way, without the value", async (t) => {
  const file = join(await tempDir(t), "env");
  await writeFile(file, "AUTH_SECRET=hunter2#hunter2\n");
  const { found, remedies } = examined({}, file);
  assert.match(found.join(), /^AUTH_SECRET in --env-file has another value in a unit/);
  assert.match(String(remedies), /^write AUTH_SECRET='…'/);
  assert.doesNotMatch(JSON.stringify([found, remedies]), /hunter2/);
});

test("runs no check if the env file cannot be read completely", async (t) => {
  const file = join(await tempDir(t), "env");
  const all = CHECKS.map(({ name }) => name);
  assert.deepEqual(examined({}, file).skipped, all);
  await writeFile(file, "PORT 4000\n");
  assert.deepEqual(examined({}, file).skipped, all);
  await writeFile(file, "PORT=4000\n");
  assert.deepEqual(examined({}, file).skipped, []);
});
