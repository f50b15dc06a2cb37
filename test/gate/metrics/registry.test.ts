import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "../../../src/gate/metrics/registry.ts";

test("writes help, type, and a line for each set of labels of a counter", () => {
  const registry = new Registry();
  const calls = registry.addCounter("latchkey_http_requests_total", [{ from: "c", to: "b" }]);
  calls(2, { from: "a", to: "b" });
  calls(1, { from: "a", to: "b" });
  assert.equal(
    registry.formatText(),
    [
      "# HELP latchkey_http_requests_total Requests by route and status. Aborted: the client disconnected before the end of the response.",
      "# TYPE latchkey_http_requests_total counter",
      'latchkey_http_requests_total{from="c",to="b"} 0',
      'latchkey_http_requests_total{from="a",to="b"} 3',
      "",
    ].join("\n"),
  );
});

test("escapes quotes and line breaks in label values", () => {
  const registry = new Registry();
  const calls = registry.addCounter("latchkey_http_requests_total", []);
  calls(1, { from: 'a"} 1\nforged 2 \\' });
  const [, , line, ...rest] = registry.formatText().split("\n");
  assert.equal(line, 'latchkey_http_requests_total{from="a\\"} 1\\nforged 2 \\\\"} 1');
  assert.deepEqual(rest, [""]);
});

test("counts a value in each histogram bucket with a bound at or above it", () => {
  const registry = new Registry();
  const times = registry.addHistogram("latchkey_hash_duration_seconds", [0.1, 1], []);
  for (const value of [0.05, 0.1, 0.5, 4]) times(value, { of: "x" });
  assert.deepEqual(registry.formatText().split("\n").slice(2), [
    'latchkey_hash_duration_seconds_bucket{of="x",le="0.1"} 2',
    'latchkey_hash_duration_seconds_bucket{of="x",le="1"} 3',
    'latchkey_hash_duration_seconds_bucket{of="x",le="+Inf"} 4',
    'latchkey_hash_duration_seconds_sum{of="x"} 4.65',
    'latchkey_hash_duration_seconds_count{of="x"} 4',
    "",
  ]);
});

test("reads a gauge again for each scrape", () => {
  const values = [1.5, 2];
  const registry = new Registry();
  registry.addGauge("process_open_fds", () => values.shift());
  const lines = [1, 2, 3].map(() => registry.formatText().split("\n")[2]);
  assert.deepEqual(lines, ["process_open_fds 1.5", "process_open_fds 2", ""]);
});

test("omits the sample of a gauge that throws, and writes the other metrics", () => {
  const registry = new Registry();
  registry.addGauge("process_open_fds", () => {
    throw new Error("too many open files");
  });
  registry.addGauge("latchkey_hashes_running", () => 1);
  const lines = registry.formatText().split("\n");
  const values = lines.filter((line) => !line.startsWith("# HELP"));
  assert.deepEqual(values, [
    "# TYPE process_open_fds gauge",
    "# TYPE latchkey_hashes_running gauge",
    "latchkey_hashes_running 1",
    "",
  ]);
});
