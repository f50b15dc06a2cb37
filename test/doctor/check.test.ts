import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createCheck, ok, runChecks } from "../../src/doctor/check.ts";
import { checks } from "../../src/doctor/checks.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck, installation } from "./installation.ts";

const NOTHING_SET = readSettings({ flags: {}, envFile: undefined, env: {} });

test("a check that fails or hangs does not affect others", async () => {
  const four = [
    createCheck("hangs", [], () => new Promise(() => {})),
    createCheck("fails", [], async () => {
      throw new Error("no such device");
    }),
    createCheck("works", [], async () => [ok("one"), ok("two")]),
    createCheck("silent", [], async () => []),
  ];
  const found = await runChecks(four, NOTHING_SET, installation({}), 20);
  const shown = found.slice(1).map((one) => [one.check, one.outcome, one.found]);
  assert.deepEqual(shown, [
    ["hangs", "problem", "the check did not finish within 0.02 seconds"],
    ["fails", "problem", "the check failed: no such device"],
    ["works", "ok", "one"],
    ["works", "ok", "two"],
  ]);
});

test("a check gets only the settings that it declares", async () => {
  const check = createCheck("two", ["host", "setupTokenFile"], async ({ settings }) =>
    ok(Object.keys(settings).join()),
  );
  await assertCheck(check, {}, ["ok", /^host,setupTokenFile$/]);
  assert.deepEqual(check.settings, ["HOST", "SETUP_TOKEN_FILE", "DATA_DIR"]);
});

/** The reports on these settings, and the checks that did not run. */
async function examined(env: Readonly<Record<string, string>>, envFile?: string) {
  const reading = readSettings({ flags: {}, envFile, env });
  const silent = checks.map((one) => ({ ...one, run: async () => ok("ran") }));
  const reports = await runChecks(silent, reading, installation({}), 1_000);
  const ran = reports.map(({ check }) => check);
  const skipped = checks.map(({ name }) => name).filter((name) => !ran.includes(name));
  const findings = reports.filter(({ check }) => check === "settings");
  return { findings, skipped: skipped.join(", ") };
}

const wrong: readonly (readonly [Readonly<Record<string, string>>, skipped: RegExp])[] = [
  [{}, /^$/],
  // The default of the database is in DATA_DIR, and that of the allowed hosts depends on HOST.
  [{ HOST: "bad host" }, /^accounts, ports, gate, public URL, limit, address, hosts$/],
  [
    { PORT: "http", AUTH_SECRET_FILE: "/nowhere" },
    /^secret, one-time codes, ports, gate, public URL, address$/,
  ],
  [
    { SHARED_LIMITER: "on" },
    /^data folder, disk, database, leftovers, accounts, one-time codes, gate/,
  ],
  [{ LATCHKEY_PORT: "4000" }, /^$/],
];
for (const [env, skipped] of wrong) {
  test(`with ${Object.keys(env).join() || "nothing"} invalid, skips their checks`, async () => {
    assert.match((await examined(env)).skipped, skipped);
  });
}

test("reports an invalid setting with the usual message, and the skipped checks", async () => {
  assert.deepEqual((await examined({ HTTPS_PORT: "http" })).findings, [
    {
      check: "settings",
      outcome: "problem",
      found: `HTTPS_PORT="http" is invalid: expected a number from 0 (any free port) to 65535`,
      remedy:
        "correct it, and run this again: it skipped accounts, own certificates, ports, gate, public URL, limit, address",
    },
  ]);
});

test("runs no check if the env file cannot be read completely", async (t) => {
  const file = join(await tempDir(t), "env");
  const all = checks.map(({ name }) => name).join(", ");
  assert.equal((await examined({}, file)).skipped, all);
  await writeFile(file, "PORT 4000\n");
  assert.equal((await examined({}, file)).skipped, all);
  await writeFile(file, "PORT=4000\n");
  assert.equal((await examined({}, file)).skipped, "");
});
