import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Scrape, startMeasured } from "../gate/metrics/measured-gate.ts";

const text = (file: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../docs/monitoring/${file}`, import.meta.url)), "utf8");

const readme = await text("README.md");
const alerts = await text("alerts.yaml");
const dashboard = JSON.parse(await text("grafana-dashboard.json"));

interface Target {
  readonly expr: string;
}

const panels: readonly { readonly type: string; readonly targets?: readonly Target[] }[] =
  dashboard.panels;
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** A gate in whose life something of everything has happened. */
async function lively(t: TestContext): Promise<Scrape> {
  const gate = await startMeasured(t);
  const session = await gate.setUp();
  await gate.send("/", { session });
  await gate.signIn();
  return gate.becomes('latchkey_http_requests_total{route="/login",method="POST",code="303"}', 1);
}

/** The metrics that a text names, without what a histogram's name is followed by. */
function namesIn(found: string, { types }: Scrape): readonly string[] {
  const names = (found.match(/\b(?:latchkey|process)_[a-z_]+/g) ?? []).map((name) => {
    const whole = name.replace(/_(bucket|sum|count)$/, "");
    return types[whole] === "histogram" ? whole : name;
  });
  return [...new Set(names)].sort();
}

test("every metric in the dashboard and in the alerts is one that the gate has", async (t) => {
  const scrape = await lively(t);
  for (const found of [queries.join("\n"), alerts.replaceAll(/`[^`]*`/g, "")]) {
    const names = namesIn(found, scrape);
    assert.ok(names.length > 5, "metrics are looked at");
    for (const name of names) assert.ok(name in scrape.types, name);
  }
});

test("the dashboard shows every metric of the gate", async (t) => {
  const scrape = await lively(t);
  const shown = namesIn(queries.join("\n"), scrape);
  assert.deepEqual(shown, Object.keys(scrape.types).sort());
});

test("every label that a query or an alert asks for is one that its metric has", async (t) => {
  const { series } = await lively(t);
  const asked = [...queries, alerts].join("\n").matchAll(/\b(latchkey_[a-z_]+)\{([^}]+)\}/g);
  let looked = 0;
  for (const [, name = "", matchers = ""] of asked) {
    for (const [, label = ""] of matchers.matchAll(/(\w+)\s*[=!]~?\s*"/g)) {
      if (label === "job" || label === "instance") continue;
      looked += 1;
      assert.ok(
        series.some((one) => one.startsWith(`${name}{`) && one.includes(`${label}="`)),
        name,
      );
    }
  }
  assert.ok(looked >= 3, "labels are looked at");
});

test("the README has each metric of the gate with its kind, and no other", async (t) => {
  const { types } = await lively(t);
  const rows = [...readme.matchAll(/^\| `([a-z_]+)` \| (\w+) \| .+ \|$/gm)];
  assert.deepEqual(Object.fromEntries(rows.map(([, name, type]) => [name, type])), types);
});

test("the dashboard can be imported: it has a schema, its own ID, and asks for the data source", () => {
  assert.equal(typeof dashboard.schemaVersion, "number");
  assert.deepEqual([dashboard.id, dashboard.title], [null, "Latchkey"]);
  const variables: readonly { readonly name: string; readonly type: string }[] =
    dashboard.templating.list;
  assert.deepEqual(
    variables.map(({ name, type }) => `${name}: ${type}`),
    ["datasource: datasource", "job: query", "instance: query"],
  );
  const sources = [...JSON.stringify(dashboard).matchAll(/"uid":"([^"]*)"/g)].map(([, uid]) => uid);
  assert.ok(sources.length > queries.length);
  for (const uid of sources) assert.match(uid ?? "", /^(\$\{datasource\}|latchkey)$/);
});

test("no two panels of the dashboard have the same ID or lie on each other, and each has a unit", () => {
  const ids = dashboard.panels.map(({ id }: { readonly id: number }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const covered = new Set<string>();
  for (const { title, type, gridPos, fieldConfig } of dashboard.panels) {
    if (type !== "row") assert.equal(typeof fieldConfig.defaults.unit, "string", title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.ok(x < 24 && !covered.has(`${x},${y}`), title);
        covered.add(`${x},${y}`);
      }
    }
  }
});

const READ = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.read()))
print(json.dumps({f.name: [f.type, len(f.samples)] for f in families}))
`;

/** Debian's packages are found by Debian's own Python, which need not be the first on the path. */
const PYTHON = "/usr/bin/python3";
const hasClient = spawnSync(PYTHON, ["-c", "import prometheus_client"]).status === 0;

if (hasClient) {
  test("Prometheus's own Python client reads the metrics as they are meant", async (t) => {
    const scrape = await lively(t);
    const reading = promisify(execFile)(PYTHON, ["-c", READ]);
    reading.child.stdin?.end(scrape.text);
    const families: Readonly<Record<string, readonly [type: string, samples: number]>> = JSON.parse(
      (await reading).stdout,
    );
    // The parser leaves the suffix of a counter to its samples.
    const expected = Object.entries(scrape.types).map(([name, type]) => [
      type === "counter" ? name.replace(/_total$/, "") : name,
      type,
    ]);
    const read = Object.entries(families).map(([name, [type]]) => [name, type]);
    assert.deepEqual(Object.fromEntries(read), Object.fromEntries(expected));
    const samples = Object.values(families).reduce((sum, [, count]) => sum + count, 0);
    assert.equal(samples, scrape.series.length);
  });
} else {
  test("python3-prometheus-client is not on this machine: the metrics were not read by it", () => {
    assert.ok(!process.env.CI, "python3-prometheus-client has to be installed where CI is set");
  });
}
