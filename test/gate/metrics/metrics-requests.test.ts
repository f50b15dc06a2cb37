import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { type TestContext, test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { OWNER, SECRET } from "../../support/gate.ts";
import { openSocket } from "../../support/raw.ts";
import { type MeasuredGate, requests, startMeasured } from "./measured-gate.ts";

test("counts a request by route, method and status, also if it is refused", async (t) => {
  const gate = await startMeasured(t);
  await gate.send("/setup?token=x");
  await gate.setUp();
  await gate.send("/setup");
  await gate.send("/login", { method: "HEAD" });
  await gate.send("/healthz");
  await gate.send("/login", { form: OWNER, headers: { "Sec-Fetch-Site": "cross-site" } });
  await gate.send("/login", { method: "PUT" });
  await gate.becomes(requests("GET", "/setup", "200"), 1);
  await gate.becomes(requests("POST", "/setup", "303"), 1);
  await gate.becomes(requests("GET", "/setup", "303"), 1);
  await gate.becomes(requests("HEAD", "/login", "200"), 1);
  await gate.becomes(requests("GET", "/healthz", "200"), 1);
  await gate.becomes(requests("POST", "/login", "403"), 1);
  await gate.becomes(requests("other", "/login", "405"), 1);
});

test("records the time of each response in the histogram of its route", async (t) => {
  const gate = await startMeasured(t);
  await gate.send("/login");
  const name = "latchkey_http_request_duration_seconds";
  const labels = 'route="/login",method="GET"';
  const { value } = await gate.becomes(`${name}_count{${labels}}`, 1);
  const took = value(`${name}_sum{${labels}}`) ?? 0;
  assert.ok(took > 0.000_05 && took < 10, `seconds, not milliseconds: ${took}`);
  assert.equal(value(`${name}_bucket{${labels},le="+Inf"}`), 1);
});

test("counts and logs a request as aborted when the client disconnects", async (t) => {
  const gate = await startMeasured(t, { logLevel: "debug" });
  const socket = await openSocket(t, gate.url);
  socket.write(
    "POST /login HTTP/1.1\r\nHost: gate\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n",
  );
  await once(socket, "data");
  socket.destroy();
  await gate.becomes(requests("POST", "/login", "aborted"), 1);
  const line = await eventually(() => gate.serverLog.find(({ msg }) => msg === "request aborted"));
  assert.equal(line.path, "/login");
});

/** Sends a GET request for each path over a few keep-alive connections. */
async function get(t: TestContext, gate: MeasuredGate, paths: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.after(() => agent.destroy());
  await Promise.all(
    paths.map(async (path) => {
      const outgoing = request(`${gate.url}${path}`, { agent }).end();
      const [incoming] = await once(outgoing, "response");
      incoming.resume();
      await once(incoming, "end");
    }),
  );
}

test("counts 200 unknown paths, and paths that only resemble a route, in one series", async (t) => {
  const gate = await startMeasured(t);
  // The operations of the store have a series from their first use.
  await get(t, gate, ["/nowhere"]);
  const before = (await gate.becomes(requests("GET", "other", "404"), 1)).series.length;
  const paths = Array.from({ length: 200 }, (_, index) => `/wp-admin/${index}/login?${index}`);
  paths.push("/login/", "/LOGIN", "//login", "/login;a", "/__proto__", "/constructor");
  await get(t, gate, paths);
  const after = await gate.becomes(requests("GET", "other", "404"), paths.length + 1);
  assert.equal(after.series.length, before);
});

test("the metrics contain no names, addresses or secrets of requests", async (t) => {
  const gate = await startMeasured(t, { trustedProxies: ["127.0.0.1"] });
  const session = await gate.setUp({ username: "name-4Kq" });
  const headers = { "X-Forwarded-For": "203.0.113.77", "X-Request-Id": "id-5Lr" };
  await gate.signIn({ username: "typed-6Ms", password: "pass-7Nt" }, { headers });
  await gate.signIn({ username: "name-4Kq" }, { headers, from: "127.0.0.9" });
  await gate.send("/path-8Pu?query-9Qv", { session, headers: { "User-Agent": "agent-1Rw" } });
  await gate.send("/account/profile", { session });
  const { text } = await gate.becomes(requests("GET", "/account/profile", "200"), 1);
  const secrets = ["name-4Kq", "typed-6Ms", "pass-7Nt", "path-8Pu", "query-9Qv"];
  secrets.push("agent-1Rw", "id-5Lr", "203.0.113", "127.0.0", session, SECRET, gate.dataDir);
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
});

test("reports process metrics in base units", async (t) => {
  const gate = await startMeasured(t);
  const first = await gate.scrape();
  const certificateExpiry = "latchkey_certificate_expiry_timestamp_seconds";
  assert.equal(first.value(certificateExpiry), undefined, "without a certificate");
  assert.equal(first.types[certificateExpiry], "gauge");
  const value = (name: string): number => first.value(name) ?? Number.NaN;
  const startedAt = Date.now() / 1e3 - process.uptime();
  assert.ok(Math.abs(startedAt - value("process_start_time_seconds")) < 5);
  assert.ok(value("process_resident_memory_bytes") > 20_000_000);
  assert.ok(value("process_cpu_seconds_total") > 0.05);
  assert.ok(value("process_cpu_seconds_total") < 600);
  const build = first.value(`latchkey_build_info{version="0.1.0",node="${process.versions.node}"}`);
  assert.equal(build, 1);
  if (process.platform === "linux") assert.ok(value("process_open_fds") > 3);
});

test("reports the delay of a blocked event loop", async (t) => {
  const gate = await startMeasured(t);
  const name = "latchkey_event_loop_delay_seconds";
  const blocked = performance.now() + 90;
  while (performance.now() < blocked);
  const late = await eventually(async () => {
    const { value } = await gate.scrape();
    const below = value(`${name}_bucket{le="0.05"}`) ?? 0;
    const all = value(`${name}_count`) ?? 0;
    return all > below ? value(`${name}_sum`) : undefined;
  });
  assert.ok(late > 0.05 && late < 60, `seconds, not milliseconds: ${late}`);
});
