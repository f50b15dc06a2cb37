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

/** The metrics of a gate after a setup, a page and a sign-in. */
async function scrapeUsedGate(t: TestContext): Promise<Scrape> {
  const gate = await startMeasured(t);
  const session = await gate.setUp();
  await gate.send("/", { session });
  await gate.signIn();
  return gate.becomes('latchkey_http_requests_total{route="/login",method="POST",code="303"}', 1);
}

/** The metrics that a text names, without the suffixes of histograms. */
function namesIn(found: string, { types }: Scrape): readonly string[] {
  const names = (found.match(/\b(?:latchkey|process)_[a-z_]+/g) ?? []).map((name) => {
    const whole = name.replace(/_(bucket|sum|count)$/, "");
    return types[whole] === "histogram" ? whole : name;
  });
  return [...new Set(names)].sort();
}

test("the dashboard and the alerts use only existing metrics", async (t) => {
  const scrape = await scrapeUsedGate(t);
  for (const found of [queries.join("\n"), alerts.replaceAll(/`[^`]*`/g, "")]) {
    const names = namesIn(found, scrape);
    assert.ok(names.length > 5, "finds metrics");
    for (const name of names) assert.ok(name in scrape.types, name);
  }
});

test("the dashboard shows every metric of the gate", async (t) => {
  const scrape = await scrapeUsedGate(t);
  const shown = namesIn(queries.join("\n"), scrape);
  assert.deepEqual(shown, Object.keys(scrape.types).sort());
});

test("queries and alerts use only existing labels", async (t) => {
  const { series } = await scrapeUsedGate(t);
  const asked = [...queries, alerts].join("\n").matchAll(/\b(latchkey_[a-z_]+)\{([^}]+)\}/g);
  let checked = 0;
  for (const [, name = "", matchers = ""] of asked) {
    for (const [, label = ""] of matchers.matchAll(/(\w+)\s*[=!]~?\s*"/g)) {
      if (label === "job" || label === "instance") continue;
      checked += 1;
      assert.ok(
        series.some((one) => one.startsWith(`${name}{`) && one.includes(`${label}="`)),
        name,
      );
    }
  }
  assert.ok(checked >= 3, "finds labels");
});

test("the page lists exactly the metrics of the gate, with their kinds", async (t) => {
  const { types } = await scrapeUsedGate(t);
  const rows = [...readme.matchAll(/^\| `([a-z_]+)` \| (\w+) \| .+ \|$/gm)];
  assert.deepEqual(Object.fromEntries(rows.map(([, name, type]) => [name, type])), types);
});

test("the dashboard can be imported: it has a schema and asks for the data source", () => {
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

test("the panels of the dashboard have unique IDs, do not overlap, and have units", () => {
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

/** Only Debian's own Python, which may not be the first on the path, finds Debian's packages. */
const PYTHON = "/usr/bin/python3";
const hasClient = spawnSync(PYTHON, ["-c", "import prometheus_client"]).status === 0;

if (hasClient) {
  test("Prometheus's own Python client parses the metrics", async (t) => {
    const scrape = await scrapeUsedGate(t);
    const reading = promisify(execFile)(PYTHON, ["-c", READ]);
    reading.child.stdin?.end(scrape.text);
    const families: Readonly<Record<string, readonly [type: string, samples: number]>> = JSON.parse(
      (await reading).stdout,
    );
    // The parser removes the suffix from the name of a counter.
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
  test("python3-prometheus-client is not installed: its tests were skipped", () => {
    assert.ok(!process.env.CI, "install python3-prometheus-client if CI is set");
  });
}
