import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { checkGate, checkPublicUrl } from "../../src/doctor/gate.ts";
import { openStore } from "../../src/gate/open-store.ts";
import { startRecordingApp } from "../proxies/recording-app.ts";
import { freePort } from "../support/free-port.ts";
import { type RunningGate, SECRET, startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { assertCheck, assertFound, findings, installation } from "./installation.ts";

const settingsOf = ({ url, dataDir }: RunningGate) => ({
  PORT: new URL(url).port,
  DATA_DIR: dataDir,
  AUTH_SECRET: SECRET,
});

/** Where it looks for the gate: `test/cli/health.test.ts`. */
test("hints that the gate's address may be set elsewhere if none answers", async () => {
  const env = { PORT: String(await freePort()) };
  await assertCheck(checkGate, { env }, [
    "hint",
    /^the gate does not run: nothing listens/,
    /write its HOST, PORT, HTTPS_PORT and TLS_CERT_FILE into the file of --env-file/,
  ]);
});

test("reports another program on the gate's port", async (t) => {
  const { place } = await startRecordingApp(t);
  const env = { PORT: new URL(`http://${place}`).port };
  await assertCheck(checkGate, { env }, [
    "problem",
    /^another program listens at .* returns 200$/,
    /PORT/,
  ]);
});

test("reports a secret, data folder or database of another gate", async (t) => {
  const gate = await startGate(t);
  const own = { DATABASE_URL: `sqlite:${gate.databaseFile}`, ...settingsOf(gate) };
  await assertCheck(checkGate, { env: own }, ["ok", /^the gate runs/]);
  for (const [setting, value, what] of [
    ["AUTH_SECRET", `${SECRET}, and another`, "AUTH_SECRET"],
    ["AUTH_SECRET", "", "AUTH_SECRET"],
    ["DATA_DIR", "/nowhere/data", "data folder \\(DATA_DIR\\)"],
    ["DATABASE_URL", "sqlite:/nowhere/a.db", "database \\(DATA_DIR, DATABASE_URL\\)"],
  ] as const) {
    const found = await findings(checkGate, { env: { ...own, [setting]: value } });
    const about = new RegExp(`has another ${what} than these settings$`);
    assertFound(found, ["problem", about, new RegExp(`^run this with the .*${setting}`)]);
    assert.ok(!JSON.stringify(found).includes(SECRET));
  }
});

test("tells clients without the secret nothing", async (t) => {
  const { url } = await startGate(t);
  const headers = { "X-Latchkey-Identity": `${"a".repeat(22)}.${"a".repeat(43)}` };
  const response = await fetch(`${url}/healthz`, { headers });
  assert.equal(await response.text(), "alive");
  assert.equal(response.headers.get("x-latchkey-identity"), null);
});

test("reports a database that was replaced while the gate runs", async (t) => {
  const gate = await startGate(t);
  const env = settingsOf(gate);
  await rename(gate.databaseFile, join(gate.dataDir, "old.db"));
  await writeFile(gate.databaseFile, "");
  const found = await findings(checkGate, { env });
  assertFound(found, ["problem", /has another database/, /restart the gate$/]);
  await gate.stop();
  await (await openStore(installation({ env }).settings, "create")).close();
  const again = await startGate(t, { dataDir: gate.dataDir });
  await assertCheck(checkGate, { env: settingsOf(again) }, ["ok", /^the gate runs/]);
});

test("reports a PUBLIC_URL that leads to another program or gate", async (t) => {
  const gate = await startGate(t);
  const other = await startGate(t);
  // Echoes what it was asked, as a debugging page does.
  const port = await listenOn(
    t,
    createServer((request, response) => {
      response.setHeader("X-Latchkey-Identity", request.headers["x-latchkey-identity"] ?? "");
      response.end("hello");
    }),
  );
  const at = (PUBLIC_URL: string) =>
    findings(checkPublicUrl, { env: { ...settingsOf(gate), PUBLIC_URL } });
  for (const PUBLIC_URL of [`http://127.0.0.1:${port}`, other.url]) {
    assertFound(await at(PUBLIC_URL), [
      "problem",
      /but this gate does not answer there: it returns \d+$/,
      new RegExp(`^correct PUBLIC_URL, or have .* to ${gate.url} `),
    ]);
  }
  assertFound(await at(gate.url), ["ok", /leads to the gate$/]);
  const nothing = `http://127.0.0.1:${await freePort()}`;
  assertFound(await at(nothing), ["hint", /does not answer there: connection refused$/]);
});

test("compares no PUBLIC_URL without a gate of these settings", async (t) => {
  const gate = await startGate(t);
  const PUBLIC_URL = "http://127.0.0.1:1";
  const env = { ...settingsOf(gate), AUTH_SECRET: "", PUBLIC_URL };
  await assertCheck(checkPublicUrl, { env });
  await assertCheck(checkPublicUrl, { env: settingsOf(gate) });
});
