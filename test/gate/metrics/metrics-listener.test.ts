import assert from "node:assert/strict";
import { test } from "node:test";
import { send } from "../../support/client.ts";
import { runCommand, serveHere } from "../../support/command.ts";
import { SECRET, startGate } from "../../support/gate.ts";
import { openSocket } from "../../support/raw.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { startMeasured } from "./measured-gate.ts";

test("answers GET and HEAD /metrics in Prometheus's text format", async (t) => {
  const gate = await startMeasured(t);
  const { status, headers, body } = await send(`${gate.metricsUrl}/metrics`);
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
  assert.match(body, /^# HELP latchkey_build_info /);
  assert.ok(body.endsWith("\n"));
  const head = await send(`${gate.metricsUrl}/metrics`, { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, ""]);
  const asked = await send(`${gate.metricsUrl}/metrics?name=x`);
  assert.match(asked.body, /^# HELP /);
});

test("on loopback, answers 421 to host names other than METRICS_HOST", async (t) => {
  const gate = await startMeasured(t, { metricsHost: "127.0.0.3" });
  for (const [host, status] of [
    ["rebound.example", 421],
    ["rebound.example:9090", 421],
    ["10.0.0.1", 421],
    ["localhost:9090", 200],
    ["127.0.0.1", 200],
    ["127.0.0.3:9090", 200],
    ["[::1]", 200],
  ] as const) {
    const answer = await send(`${gate.metricsUrl}/metrics`, { headers: { Host: host } });
    assert.equal(answer.status, status, host);
    assert.equal(/^# HELP/.test(answer.body), status === 200, host);
  }
  const elsewhere = await startMeasured(t, { metricsHost: "0.0.0.0" });
  const url = new URL(`${elsewhere.metricsUrl}/metrics`);
  url.hostname = "127.0.0.1";
  const { status } = await send(url.href, { headers: { Host: "metrics.example" } });
  assert.equal(status, 200);
});

test("answers other methods with 405 and other paths with 404", async (t) => {
  const gate = await startMeasured(t);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const { status, headers } = await send(`${gate.metricsUrl}/metrics`, { method });
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"], method);
  }
  for (const path of ["/", "/login", "/setup", "/healthz", "/metrics/", "/forward-auth"]) {
    assert.equal((await send(`${gate.metricsUrl}${path}`)).status, 404, path);
  }
});

test("does not serve /metrics on the public listener, with or without metrics", async (t) => {
  for (const metricsPort of [undefined, 0]) {
    const gate = await startGate(t, { metricsPort });
    assert.equal((await gate.send("/metrics")).status, 404);
    assert.equal(gate.metricsUrl === undefined, metricsPort === undefined);
  }
});

test("fails to start with one line when METRICS_PORT is in use, and listens nowhere", async (t) => {
  const owner = await startGate(t);
  const { port } = new URL(owner.url);
  const env = { DATA_DIR: await tempDir(t), PORT: "0", AUTH_SECRET: SECRET, METRICS_PORT: port };
  const { code, stdout, stderr } = await runCommand(["serve"], { env });
  const line = `latchkey: METRICS_PORT: cannot listen on 127.0.0.1, port ${port}: it is already in use (stop the other program or choose another port)\n`;
  assert.deepEqual([code, stderr], [1, line]);
  assert.doesNotMatch(stdout, /Latchkey listens/);
});

test("serves metrics at METRICS_HOST and METRICS_PORT until the gate stops", async (t) => {
  const env = { DATA_DIR: await tempDir(t), AUTH_SECRET: SECRET };
  const gate = await serveHere(t, { ...env, METRICS_PORT: "0", METRICS_HOST: "127.0.0.2" });
  const [, url = ""] = await gate.shows(/metrics are at (http:\/\/127\.0\.0\.2:\d+)\/metrics/);
  // A scraper that never finishes its request must not delay the stop.
  const stuck = await openSocket(t, url);
  stuck.write("GET /metrics HTTP/1.1\r\n");
  assert.equal((await send(`${url}/metrics`)).status, 200);
  gate.signal("SIGTERM");
  assert.equal((await gate.ended).code, 0);
  await assert.rejects(send(`${url}/metrics`), { code: "ECONNREFUSED" });
});
