import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "../../../src/gate/metrics/registry.ts";

test("writes help, type, and a line for each set of labels of a counter", () => {
  const registry = new Registry();
  const calls = registry.counter("calls_total", "Calls.", [{ from: "c", to: "b" }]);
  calls(2, { from: "a", to: "b" });
  calls(1, { from: "a", to: "b" });
  assert.equal(
    registry.text(),
    [
      "# HELP calls_total Calls.",
      "# TYPE calls_total counter",
      'calls_total{from="c",to="b"} 0',
      'calls_total{from="a",to="b"} 3',
      "",
    ].join("\n"),
  );
});

test("escapes quotes and line breaks in label values", () => {
  const registry = new Registry();
  const calls = registry.counter("calls_total", "Calls.", []);
  calls(1, { from: 'a"} 1\nforged 2 \\' });
  const [, , line, ...rest] = registry.text().split("\n");
  assert.equal(line, 'calls_total{from="a\\"} 1\\nforged 2 \\\\"} 1');
  assert.deepEqual(rest, [""]);
});

test("counts a value in each histogram bucket with a bound at or above it", () => {
  const registry = new Registry();
  const times = registry.histogram("times_seconds", "Times.", [0.1, 1], []);
  for (const value of [0.05, 0.1, 0.5, 4]) times(value, { of: "x" });
  assert.deepEqual(registry.text().split("\n").slice(2), [
    'times_seconds_bucket{of="x",le="0.1"} 2',
    'times_seconds_bucket{of="x",le="1"} 3',
    'times_seconds_bucket{of="x",le="+Inf"} 4',
    'times_seconds_sum{of="x"} 4.65',
    'times_seconds_count{of="x"} 4',
    "",
  ]);
});

test("reads a gauge again for each scrape", () => {
  const values = [1.5, 2];
  const registry = new Registry();
  registry.gauge("reading", "Read.", () => values.shift());
  const lines = [1, 2, 3].map(() => registry.text().split("\n")[2]);
  assert.deepEqual(lines, ["reading 1.5", "reading 2", ""]);
});

test("omits the sample of a gauge that throws, and writes the other metrics", () => {
  const registry = new Registry();
  registry.gauge("broken", "Broken.", () => {
    throw new Error("too many open files");
  });
  registry.gauge("whole", "Whole.", () => 1);
  const lines =
    "# HELP broken Broken.\n# TYPE broken gauge\n# HELP whole Whole.\n# TYPE whole gauge\nwhole 1\n";
  assert.equal(registry.text(), lines);
});
